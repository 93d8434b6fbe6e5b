// also: cache-off
/**
 * Attacks on remembered, conditional and compressed reads: getting what another may read, filling the memory, and learning
 * secrets from lengths.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HEADLINE, SUMMARY_ID } from '../../scripts/tools/data-bodies.ts'
import type { ApiResponse, Signed } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

// Each thread remembers what its own connections ask for: the figures below are those of one.
const service = await startSuiteService({ hideInactive: 'on', cacheMb: '4', threads: '1' })
const admin = await service.admin()
const publisher = await service.userWith('publisher@example.org', { dashboardRole: 'publisher' })
const guest = await service.guest()
const ALL = { 'accept-encoding': 'gzip, deflate, br, zstd' }

/** A read often enough to be remembered. */
async function often(read: () => Promise<ApiResponse>): Promise<ApiResponse> {
  await read()
  await read()
  return read()
}

describe('attack: a page that an editor has read often', () => {
  it('is not shown to a guest, nor confirmed where the guest knows its tag', async () => {
    const query = { model: 'headline', filter: { title: 'Secret plans' } }
    const body = { ...HEADLINE, title: 'Secret plans', status: 'draft' }
    const made = await service.data('POST', '', { model: 'headline' }, { token: publisher.token, body })
    assert.equal(made.status, 201)
    const seen = await often(() => service.data('GET', '', query, { token: publisher.token }))
    assert.equal((seen.at('data.items') as unknown[]).length, 1)
    const tag = seen.headers.get('etag') ?? ''
    for (const token of [guest.token, (await service.signIn('reader@example.org')).token]) {
      for (const headers of [{}, { 'if-none-match': tag }, { 'if-none-match': tag.replace(/"$/, '-gzip"') }, ALL]) {
        const response = await service.data('GET', '', query, { token, headers })
        assert.deepEqual([response.status, response.at('data.items')], [200, []])
        assert.doesNotMatch(response.text, /Secret/)
      }
      const posted = await service.data('POST', '/query', { model: 'headline' }, { token, body: { filter: query.filter } })
      assert.deepEqual(posted.at('data.items'), [])
    }
  })

  it('is refused to those who may not ask for it, whatever they send', async () => {
    const get = (target: string, model: string) => (signed?: Signed, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      service.data('GET', target, { model }, { token: signed?.token, headers })
    const reads = [get(`/${SUMMARY_ID}`, 'dashboard_summary'), get('', 'dashboard_summary'), get('', 'user')]
    for (const read of reads) {
      const seen = await often(() => read(admin))
      assert.equal(seen.status, 200)
      const headers = { 'if-none-match': seen.headers.get('etag') ?? '' }
      assert.equal((await read(admin, headers)).status, 304)
      assert.equal((await read(guest, headers)).status, 403)
      assert.equal((await read(undefined, headers)).status, 401)
      assert.equal((await read(guest, { 'if-none-match': '*' })).status, 403)
    }
  })

  it('is refused from the moment at which the editor is none any more', async () => {
    const editor = await service.userWith('demoted@example.org', { dashboardRole: 'publisher' })
    const read = (): Promise<ApiResponse> => service.data('GET', '', { model: 'dashboard_summary' }, { token: editor.token })
    assert.equal((await often(read)).status, 200)
    const { user } = editor
    const demoted = { ...user, dashboardRole: 'none' }
    const changed = await service.data('PUT', `/${editor.id}`, { model: 'user' }, { token: admin.token, body: demoted })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await read()).status, 403)
  })
})

describe('attack: reading secrets from the lengths of responses (BREACH)', () => {
  it('finds nothing with a token, a code or an account compressed', async () => {
    const email = `${'long-'.repeat(12)}@example.org`
    const code = await service.codeFor(email)
    const label = { 'user-agent': 'x'.repeat(2_000), ...ALL }
    const signedIn = await service.call('POST', '/api/v1/auth/verify-code', { body: { email, code }, headers: label })
    assert.equal(signedIn.status, 200, signedIn.text)
    const token = String(signedIn.at('data.token'))
    const paths = ['auth/me', 'auth/sessions', 'admin/status', 'admin/audit', 'admin/outbox', 'admin/settings']
    const responses = [
      ...[signedIn, await service.call('POST', '/api/v1/auth/anonymous', { body: {}, headers: label })],
      ...(await Promise.all(
        paths.map((path) => service.call('GET', `/api/v1/${path}`, { token: path.startsWith('auth') ? token : admin.token, headers: label })),
      )),
    ]
    for (const { status, headers, text } of responses) {
      assert.equal(status, 200, text)
      assert.equal(headers.get('content-encoding'), null)
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    assert.ok(responses.some(({ text }) => text.length > 1024), 'some are long enough')
  })
})
