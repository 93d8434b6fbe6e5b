/** The audit trail in Operations: who did what, narrowed by the address of the page, and the links to it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditQuery, readAuditSearch } from '../../src/dashboard/screens/operations/audit-search.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { chooseMore, startDashboard } from '../support/browser/dashboard.ts'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'

const MARKUP = '<img src=x onerror=alert(1)>'
const dashboard = await startDashboard()
const { service, cast } = dashboard
const { admin, publisher } = cast

describe('what the audit trail is narrowed to', () => {
  for (const [address, filter, email] of [
    ['', {}, undefined],
    ['event=settings&actor=a&document=d&email=e%40x.org', { event: 'settings', actor: 'a', documentId: 'd' }, 'e@x.org'],
    ['event=nonsense&actor=+', {}, undefined],
    ['email=half%40example', {}, undefined],
  ] as const) {
    it(`comes from the address ?${address}`, () => {
      assert.deepEqual(auditQuery(readAuditSearch(new URLSearchParams(address))), { filter, email })
    })
  }
})

describe('the audit trail', { skip: browserMissing() }, () => {
  const rows = async (page: Page): Promise<number> => (await page.findAll({ role: 'row' })).length - 1
  /** Nothing but the records of invitations; not what stands there while they are read. */
  const showsInvitations = (page: Page): Promise<unknown> =>
    page.waitFor(async () => {
      const all = await rows(page)
      return all > 0 && all < 10 && (await page.findAll({ role: 'cell', name: 'User added' })).length === all
    }, 'invitations alone')
  /** Which of the rows the focus is in, from 0. */
  const focusedRow = (page: Page): Promise<number> =>
    page.evaluate(() => [...document.querySelectorAll('.records tbody tr')].findIndex((row) => row.contains(document.activeElement)))
  const made: string[] = []
  let shared: Page | undefined
  const asAdmin = async (hash: string): Promise<Page> => {
    shared ??= await dashboard.openAs(admin)
    await shared.open(`/${hash}`)
    return shared
  }

  it('shows who did what, and more of it on demand', async () => {
    for (let i = 0; i < 60; i++) {
      service.advance(1_000)
      const body = { ...TOPIC, name: `Topic ${i}` }
      const response = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body })
      made.push(String(response.at('data.id')))
    }
    const page = await asAdmin('#/operations?part=audit')
    await page.waitFor(async () => (await rows(page)) === 50, 'the first page')
    await page.find({ role: 'link', name: 'Topic 59' })
    await page.click({ role: 'button', name: 'Show more' })
    await page.waitFor(async () => (await rows(page)) > 60, 'the next page')
    await page.gone({ role: 'button', name: 'Show more' })
    await page.reads(/Service started/)
    await page.expectNoProblems()
  })

  it('is narrowed by event, by user and by document, all of it in the address', async () => {
    const page = await asAdmin('#/operations?part=audit')
    await page.select({ role: 'combobox', name: 'Event' }, 'User added')
    await showsInvitations(page)
    assert.match(await page.url(), /event=user\.invited/)
    await page.reload()
    await showsInvitations(page)
    await page.click({ role: 'link', name: `Only ${publisher.email}` })
    await page.waitFor(async () => (await rows(page)) === 1, 'one invitation')
    assert.match(await page.url(), new RegExp(`document=${publisher.id}`))
    await page.click({ role: 'button', name: 'Clear all' })
    await page.find({ role: 'button', name: 'Show more' })
    await page.fill({ role: 'searchbox', name: 'User ID' }, admin.id)
    await page.waitFor(async () => new RegExp(`actor=${admin.id}`).test(await page.url()), 'the address')
    await page.expectNoProblems()
  })

  // The next page of all records was put below the first of those that are about invitations.
  it('leaves out a page that comes after the search has changed', async () => {
    const page = await asAdmin('?search#/operations?part=audit')
    const further = await holdBack(page, 'cursor=')
    await page.click({ role: 'button', name: 'Show more' })
    await further.held()
    await page.select({ role: 'combobox', name: 'Event' }, 'User added')
    await showsInvitations(page)
    const invitations = await rows(page)
    await further.release()
    await page.loaded()
    assert.equal(await rows(page), invitations)
  })

  // The page put the first 50 records in the place of all that were shown.
  it('keeps further records that come while it looks for newer ones', async () => {
    const page = await asAdmin('?look#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    const looks = await holdBack(page, '/admin/audit(?!.*cursor=)')
    // The stream tells of it once the page has it; a look at the beginning is as good.
    await dashboard.store('topic', { name: 'Newer' })
    await looks.held()
    await page.click({ role: 'button', name: 'Show more' })
    await page.waitFor(async () => (await rows(page)) > 60, 'the next page')
    const shown = await rows(page)
    await looks.release()
    await page.expectNoProblems()
    assert.equal(await rows(page), shown)
    assert.equal(await focusedRow(page), 50, 'the focus stays at the first of the further records')
  })

  // What the look had pushed off the first page was on no page.
  it('leaves out no record where a look comes before further ones', async () => {
    const page = await asAdmin('?further#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    const further = await holdBack(page, 'cursor=')
    await page.click({ role: 'button', name: 'Show more' })
    await further.held()
    await dashboard.store('topic', { name: 'Newest' })
    await page.find({ role: 'link', name: 'Newest' })
    await further.release()
    await page.waitFor(async () => (await rows(page)) > 60, 'the next page')
    const shown = await page.evaluate(() => [...document.querySelectorAll('.records a')].map(({ textContent }) => textContent))
    assert.deepEqual(made.map((_, i) => `Topic ${i}`).filter((name) => !shown.includes(name)), [])
    assert.equal(await focusedRow(page), 50)
    await page.expectNoProblems()
  })

  it('finds what was done with an e-mail address, and shows hostile texts as texts', async () => {
    const email = 'tried@example.org'
    await service.codeFor(email)
    const body = { email, code: '000000' }
    await service.call('POST', '/api/v1/auth/verify-code', { body })
    const { store } = service.app.services
    const details = [{ name: MARKUP, value: MARKUP }]
    await store.as({ kind: 'operator' }).record({ event: 'command', details, model: MARKUP, documentId: MARKUP })
    const page = await asAdmin('#/operations?part=audit&email=tried%40example.org')
    await page.find({ role: 'cell', name: 'Sign-in failed' })
    await page.find({ role: 'cell', name: 'Code requested' })
    await page.waitFor(async () => (await rows(page)) === 2, 'both alone')
    await page.open('/#/operations?part=audit&event=command')
    const table = await page.find({ role: 'table', name: 'Audit trail' })
    assert.ok((await page.text(table)).includes(MARKUP))
    assert.equal(await page.inspect(table, (element) => element.querySelectorAll('img').length), 0)
    await page.expectNoProblems()
  })

  it('is linked from a document and from a user', async () => {
    const id = made[0] ?? ''
    const page = await asAdmin(`#/topics/${id}`)
    await chooseMore(page, 'Audit trail', 'link')
    await page.find({ role: 'table', name: 'Audit trail' })
    await page.waitFor(async () => (await rows(page)) === 1, 'the only record')
    await page.click({ role: 'link', name: 'Topic 0' })
    await page.find({ role: 'textbox', name: /Name/ })
    await page.open(`/#/users/${admin.id}`)
    await page.click({ role: 'link', name: 'Activity of this user' })
    await page.waitFor(async () => (await rows(page)) === 50, 'what the administrator did')
    await page.expectNoProblems()
  })
})

/** Holds the responses to requests of such addresses back until they are released. */
async function holdBack(page: Page, pattern: string): Promise<{ held(): Promise<unknown>; release(): Promise<unknown> }> {
  await page.evaluate((wanted) => {
    const { fetch } = window
    const looks = Object.assign(window, { looks: { held: 0, released: 0 } }).looks
    const released = new Promise((resolve) => window.addEventListener('release', resolve, { once: true }))
    window.fetch = async (...asked) => {
      const response = await fetch(...asked)
      if (!new RegExp(wanted).test(String(asked[0])) || looks.released > 0) return response
      looks.held++
      await released
      looks.released++
      return response
    }
  }, pattern)
  const looks = (state: 'held' | 'released'): Promise<unknown> =>
    page.waitFor(() => page.evaluate((one) => Number((window as unknown as { looks: Record<string, number> }).looks[one]) > 0, state), state)
  return {
    held: () => looks('held'),
    async release() {
      await page.evaluate(() => void window.dispatchEvent(new Event('release')))
      return looks('released')
    },
  }
}
