// also: cache-off
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { isId } from '../../src/base/ids.ts'
import { newPerson, type Person, type Role } from '../support/cast.ts'
import { USER, withAt } from '../../scripts/tools/data-bodies.ts'
import { startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import { pageOf, startSite } from '../support/service/site.ts'

const { service, cast, admin } = await startSite()
const NOW = new Date(service.now()).toISOString()

const invite = (body: unknown): Promise<ApiResponse> => service.data('POST', '', { model: 'user' }, { token: admin.token, body })
const readUser = async (id: string): Promise<JsonObject> =>
  (await service.data('GET', `/${id}`, { model: 'user' }, { token: admin.token })).at('data') as JsonObject
const put = (id: string, body: unknown, caller: Person): Promise<ApiResponse> =>
  service.data('PUT', `/${id}`, { model: 'user' }, { token: caller.token, body })

const CARDS = ['linkAccount', 'upgrade', 'rateApp', 'enableNotifications', 'suggestedTopics', 'suggestedSources']
const FRESH_CARDS = Object.fromEntries(CARDS.map((kind) => [kind, { isCompleted: false, lastShownAt: null }]))

describe('an administrator invites a user', () => {
  it('who has everything from the start, and gets no mail', async () => {
    const response = await invite({ email: 'new@example.org' })
    assert.equal(response.status, 201, response.text)
    const user = response.at('data') as JsonObject
    const id = String(user['id'])
    assert.ok(isId(id))
    const roles = { appRole: 'standardUser', dashboardRole: 'none' }
    const dates = { createdAt: NOW, updatedAt: NOW }
    assert.deepEqual(user, { id, email: 'new@example.org', ...roles, ...dates, feedDecoratorStatus: FRESH_CARDS })
    assert.deepEqual(await readUser(id), user)
    for (const model of ['user_app_settings', 'user_content_preferences'] as const) {
      assert.equal((await service.data('GET', `/${id}`, { model }, { token: admin.token })).at('data.id'), id)
    }
    assert.deepEqual(await service.mails('new@example.org'), [])
    const signedIn = await service.signIn('new@example.org')
    assert.equal(signedIn.id, id)
  })

  it('with roles, and whatever the dashboard sends along is ignored', async () => {
    const roles = { appRole: 'premiumUser', dashboardRole: 'publisher' }
    const sent = { ...USER, email: 'roles@example.org', ...roles, password: 'x', id: '0b7f1f6e', createdAt: '2025-10-20T14:34:56.789123' }
    const response = await invite(sent)
    assert.equal(response.status, 201, response.text)
    const { id, createdAt, appRole, dashboardRole, ...rest } = response.at('data') as JsonObject
    assert.ok(isId(String(id)))
    assert.deepEqual({ createdAt, appRole, dashboardRole }, { createdAt: NOW, ...roles })
    assert.deepEqual(Object.keys(rest).sort(), ['email', 'feedDecoratorStatus', 'updatedAt'])
  })

  it('under the normalised address', async () => {
    const response = await invite({ email: '  Mixed.Case@Example.ORG ' })
    assert.equal(response.at('data.email'), 'mixed.case@example.org')
    for (const email of ['mixed.case@example.org', 'MIXED.CASE@EXAMPLE.ORG', ' mixed.case@example.org']) {
      const second = await invite({ email })
      assert.equal(second.status, 409)
      assert.equal(second.error, 'conflict: email: a user with this e-mail address exists already')
    }
  })

  it('not with an address or a role that is none', async () => {
    for (const [body, message] of [
      [{}, 'email: expected a string, found nothing'],
      [{ email: 'Administrator@Local.invalid' }, 'email: this address is reserved for a guest or the service and gets no mail'],
      [{ email: 'a@b.org', appRole: 'admin' }, 'appRole: expected one of guestUser, standardUser, premiumUser, found "admin"'],
      [{ email: 'a@b.org', dashboardRole: 'Admin' }, 'dashboardRole: expected one of none, publisher, admin, found "Admin"'],
    ] as const) {
      const response = await invite(body)
      assert.deepEqual([response.status, response.error], [400, `invalidInput: ${message}`])
    }
  })
})

describe('replacing a user: what takes effect', () => {
  const shown = { ...FRESH_CARDS, rateApp: { isCompleted: true, lastShownAt: '2026-02-28T10:00:00.000Z' } }
  const promoted = { appRole: 'premiumUser', dashboardRole: 'publisher' }
  const rows: readonly (readonly [name: string, role: Role, by: 'self' | 'admin', change: JsonObject, applied: JsonObject])[] = [
    ...(['guest', 'standard', 'premium', 'publisher'] as const).flatMap((role) => [
      [`${role}: the own cards`, role, 'self', { feedDecoratorStatus: shown }, { feedDecoratorStatus: shown }] as const,
      [`${role}: not the own roles`, role, 'self', { appRole: 'premiumUser', dashboardRole: 'admin' }, {}] as const,
    ]),
    ['standard: not the address', 'standard', 'self', { email: 'other@example.org' }, {}],
    ['standard: nothing beyond the declared members', 'standard', 'self', { isAdmin: true }, {}],
    ['admin: roles of another user', 'standard', 'admin', promoted, promoted],
    ['admin: not the e-mail of another user', 'standard', 'admin', { email: 'other@example.org', id: 'y', createdAt: '1999-01-01' }, {}],
    ['admin: not the own address', 'admin', 'self', { email: 'other@example.org' }, {}],
  ]
  for (const [name, role, by, change, applied] of rows) {
    it(name, async () => {
      const target = await newPerson(service, role, admin.token)
      const stored = await readUser(target.id)
      service.advance(1000)
      const response = await put(target.id, { ...stored, ...change }, by === 'admin' ? admin : target)
      assert.equal(response.status, 200, response.text)
      const wanted = { ...stored, ...applied, updatedAt: new Date(service.now()).toISOString() }
      assert.deepEqual(response.at('data'), wanted)
      assert.deepEqual(await readUser(target.id), wanted)
    })
  }
})
it('replacing a user with what is not valid is refused, to the owner and to an administrator', async () => {
  const cards = 'feedDecoratorStatus'
  const user = await readUser(cast.standard.id)
  for (const [path, value, message] of [
    ['email', undefined, 'email: expected a string, found nothing'],
    ['appRole', 'root', 'appRole: expected one of guestUser, standardUser, premiumUser, found "root"'],
    ['dashboardRole', undefined, 'dashboardRole: expected one of none, publisher, admin, found nothing'],
    [`${cards}.banner`, {}, `${cards}: expected no keys but ${CARDS.join(', ')}, found "banner"`],
    [`${cards}.rateApp`, {}, `${cards}.rateApp.isCompleted: expected true or false, found nothing`],
    [`${cards}.rateApp.lastShownAt`, '', `${cards}.rateApp.lastShownAt: expected an ISO 8601 date, found ""`],
  ] as const) {
    for (const caller of [cast.standard, admin]) {
      const response = await put(cast.standard.id, withAt(user, path, value), caller)
      assert.deepEqual([response.status, response.error], [400, `invalidInput: ${message}`])
    }
  }
  assert.deepEqual(await readUser(cast.standard.id), user)
})

it('removing a user takes settings, preferences and every token along, and nothing of others', async () => {
  const [person, other] = [await newPerson(service, 'standard', admin.token), await newPerson(service, 'standard', admin.token)]
  assert.equal((await service.data('DELETE', `/${person.id}`, { model: 'user' }, { token: person.token })).status, 204)
  for (const model of ['user', 'user_app_settings', 'user_content_preferences']) {
    assert.equal((await service.data('GET', `/${person.id}`, { model }, { token: admin.token })).status, 404, model)
    assert.equal((await service.data('GET', `/${other.id}`, { model }, { token: admin.token })).status, 200, model)
  }
  assert.equal((await service.call('GET', '/api/v1/auth/me', { token: person.token })).status, 401)
})

describe('the last administrator', () => {
  const LAST = 'The last administrator cannot be'

  it('can neither be demoted nor removed, by any caller', async (t) => {
    const alone = await startService(t)
    const { id, token, user } = await alone.admin()
    for (const dashboardRole of ['none', 'publisher']) {
      const response = await alone.data('PUT', `/${id}`, { model: 'user' }, { token, body: { ...user, dashboardRole } })
      assert.deepEqual([response.status, response.error], [403, `forbidden: ${LAST} demoted here: give another user the role first`])
    }
    const removed = await alone.data('DELETE', `/${id}`, { model: 'user' }, { token })
    assert.deepEqual([removed.status, removed.error], [403, `forbidden: ${LAST} deleted here: give another user the role first`])
    const same = await alone.data('PUT', `/${id}`, { model: 'user' }, { token, body: { ...user, appRole: 'premiumUser' } })
    assert.deepEqual([same.status, same.at('data.appRole'), same.at('data.dashboardRole')], [200, 'premiumUser', 'admin'])
    const second = await newPerson(alone, 'admin', token)
    assert.equal((await alone.data('DELETE', `/${id}`, { model: 'user' }, { token: second.token })).status, 204)
    assert.equal((await alone.data('DELETE', `/${second.id}`, { model: 'user' }, { token: second.token })).status, 403)
  })

  const races: readonly (readonly [name: string, act: (site: TestService, who: Person, by: Person) => Promise<ApiResponse>])[] = [
    ['demotions', (site, who, by) => demote(site, who, by)],
    ['removals', (site, who, by) => site.data('DELETE', `/${who.id}`, { model: 'user' }, { token: by.token })],
  ]
  for (const [name, act] of races) {
    it(`is left over by two racing ${name} of the two last ones`, async (t) => {
      const site = await startService(t)
      const first = await site.admin()
      let one: Person = { id: first.id, email: '', token: first.token }
      for (let round = 0; round < 4; round++) {
        const two = await newPerson(site, 'admin', one.token)
        const responses =
          round % 2 === 0
            ? await Promise.all([act(site, one, two), act(site, two, one)])
            : await Promise.all([act(site, one, one), act(site, two, two)])
        const won = responses.filter(({ status }) => status < 300)
        assert.equal(won.length, 1, responses.map((response) => response.text).join('\n'))
        const left = responses[0] === won[0] ? two : one
        // The loser came too late: its right, its account or the other administrator was gone.
        const lost = responses.find((response) => response !== won[0])
        assert.ok(lost?.status === 401 || lost?.status === 403)
        const list = await site.data('GET', '', { model: 'user', filter: { dashboardRole: 'admin' } }, { token: left.token })
        assert.deepEqual(pageOf(list).items.map(({ id }) => id), [left.id])
        one = left
      }
    })
  }

  async function demote(site: TestService, who: Person, by: Person): Promise<ApiResponse> {
    const body = { ...USER, email: 'ignored', dashboardRole: 'none' }
    return site.data('PUT', `/${who.id}`, { model: 'user' }, { token: by.token, body })
  }
})

describe('an invitation by mail', () => {
  const URL_SET = 'https://news.example.org/desk'
  const set = (invitationUrl: string | null): Promise<ApiResponse> =>
    service.call('PATCH', '/api/v1/admin/settings', { token: admin.token, body: { invitationUrl } })
  const inviteBy = (email: string, query: Record<string, string> = {}, more: object = {}): Promise<ApiResponse> =>
    service.data('POST', '', { model: 'user', ...query }, { token: admin.token, body: { email, dashboardRole: 'publisher', ...more } })
  const again = (id: string, token: string | undefined = admin.token): Promise<ApiResponse> =>
    service.call('POST', `/api/v1/admin/users/${id}/invitation`, { token })
  const idOf = (response: ApiResponse): string => String(response.at('data.id'))

  it('is none without the address of the dashboard, and asking for one is refused', async () => {
    const silent = await inviteBy('silent@example.org')
    assert.equal(silent.status, 201, silent.text)
    assert.deepEqual(await service.mails('silent@example.org'), [])
    const refused = await inviteBy('asked@example.org', { invitation: 'mail' })
    assert.match(refused.error, /^conflict: Cannot invite by mail: no address of the dashboard is set/)
    assert.match((await again(idOf(silent))).error, /^conflict: /)
    const invitation = await service.call('GET', `/api/v1/admin/users/${idOf(silent)}/invitation`, { token: admin.token })
    assert.deepEqual(invitation.at('data'), { canBeSent: false, mail: null })
    assert.equal((await inviteBy('asked@example.org')).status, 201, 'the refused one made no account')
  })

  it('leads to the set address whatever the headers say, in the wanted language, and has no code and no token', async () => {
    assert.equal((await set(URL_SET)).status, 200)
    const body = { email: 'desk@example.org', dashboardRole: 'publisher' }
    const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', 'accept-language': 'fr' }
    const made = await service.call('POST', '/api/v1/data?model=user&language=de', { token: admin.token, body, headers })
    assert.equal(made.status, 201, made.text)
    const [mail = '', ...others] = await service.mails('desk@example.org')
    assert.deepEqual(others, [])
    assert.match(mail, /Content-Language: de\r?\n/)
    const text = mail.replaceAll('=\r\n', '').replaceAll('=\n', '')
    assert.match(text, /https:\/\/news\.example\.org\/desk\/#\/\?email(?:=3D|=)desk%40example\.org/)
    assert.doesNotMatch(text, /evil\.example|\b\d{6}\b|[?&#](?:code|token)/)
    assert.ok(text.includes(admin.email), 'it says who invites')
    const account = await service.signIn('desk@example.org')
    const settings = await service.data('GET', `/${account.id}`, { model: 'user_app_settings' }, { token: account.token })
    assert.equal(settings.at('data.language.code'), 'de')
  })

  it('is not sent where the request says so, nor to a reader, who has no dashboard', async () => {
    assert.equal((await inviteBy('quiet@example.org', { invitation: 'none' })).status, 201)
    const reader = await inviteBy('app-reader@example.org', {}, { dashboardRole: 'none' })
    assert.equal(reader.status, 201)
    for (const email of ['quiet@example.org', 'app-reader@example.org']) assert.deepEqual(await service.mails(email), [])
    assert.match((await again(idOf(reader))).error, /^conflict: Cannot invite by mail: expected the role/)
    assert.match((await again(cast.guest.id)).error, /^conflict: /)
    assert.equal((await inviteBy('x@example.org', { invitation: 'pigeon' })).status, 400)
    assert.equal((await inviteBy('x@example.org', { language: 'xx' })).status, 400)
  })

  it('comes three times in a day to an address, however often its account is deleted and made again', async () => {
    const email = 'bombed@example.org'
    for (const turn of [1, 2]) {
      const id = idOf(await inviteBy(email))
      assert.equal((await service.mails(email)).length, turn)
      await service.data('DELETE', `/${id}`, { model: 'user' }, { token: admin.token })
    }
    const id = idOf(await inviteBy(email))
    const refused = await again(id)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 3600)
    assert.equal((await service.mails(email)).length, 3)
    await service.data('DELETE', `/${id}`, { model: 'user' }, { token: admin.token })
    assert.equal((await inviteBy(email)).status, 429)
    assert.equal((await inviteBy(email, { invitation: 'none' })).status, 201, 'the refused one made no account')
  })

  // Who else may read and send invitations, at admin-access.
  it('attack: publishers, readers, guests and tokens of the API send none with a new user', async () => {
    for (const { token } of [cast.publisher, cast.standard, cast.guest]) {
      const body = { email: 'theirs@example.org', dashboardRole: 'publisher' }
      assert.equal((await service.data('POST', '', { model: 'user', invitation: 'mail' }, { token, body })).status, 403)
    }
    const id = idOf(await inviteBy('target@example.org', { invitation: 'none' }))
    const made = await service.call('POST', '/api/v1/admin/tokens', { token: admin.token, body: { name: 'robot', role: 'admin' } })
    assert.equal((await again(id, String(made.at('data.token')))).status, 403, 'a token of the API invites none')
    for (const email of ['target@example.org', 'theirs@example.org']) assert.deepEqual(await service.mails(email), [])
  })

  it('attack: no name and no address adds a header or a line', async () => {
    for (const email of ['a@example.org\r\nBcc: b@example.org', 'a@example.org\nX: y', '"a\r\nBcc: c"@example.org']) {
      assert.equal((await inviteBy(email)).status, 400, email)
    }
    for (const url of ['javascript:alert(1)', 'https://a:b@news.example.org/', 'https://x/\r\nBcc: a@example.org?', 'https://x/?to=', '//x']) {
      assert.equal((await set(url)).status, 400, url)
    }
  })

  it('ends with the setting', async () => {
    assert.equal((await set(null)).status, 200)
    assert.equal((await inviteBy('after@example.org')).status, 201)
    assert.deepEqual(await service.mails('after@example.org'), [])
  })
})
