/** The audit trail in Operations: who did what, narrowed by the address of the page, and the links to it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditQuery, readAuditSearch } from '../../src/dashboard/screens/operations/audit-search.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { TOPIC } from '../support/service/data-bodies.ts'

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
    await expectAccessible(page, { stopsMax: 30 })
    await page.screenshot('operations-audit-light')
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
    await page.fill({ role: 'searchbox', name: 'Document ID' }, 'nothing-of-the-kind')
    await page.reads(/No results/)
    await page.click({ role: 'button', name: 'Clear all' })
    await page.find({ role: 'button', name: 'Show more' })
    await page.fill({ role: 'searchbox', name: 'User ID' }, admin.id)
    await page.waitFor(async () => new RegExp(`actor=${admin.id}`).test(await page.url()), 'the address')
    await page.expectNoProblems()
  })

  // The next page of all records was put below the first of those that are about invitations.
  it('leaves out a page that comes after the search has changed', async () => {
    const page = await dashboard.openAs(admin, '#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    await page.evaluate(() => {
      const { fetch } = window
      window.fetch = async (...asked) => {
        const response = await fetch(...asked)
        if (String(asked[0]).includes('cursor=')) {
          await new Promise((resolve) => window.addEventListener('release', resolve, { once: true }))
        }
        return response
      }
    })
    await page.click({ role: 'button', name: 'Show more' })
    await page.select({ role: 'combobox', name: 'Event' }, 'User added')
    await showsInvitations(page)
    const invitations = await rows(page)
    await page.evaluate(() => void window.dispatchEvent(new Event('release')))
    await page.loaded()
    assert.equal(await rows(page), invitations)
    await page.expectNoProblems()
  })

  // The page put the first 50 records in the place of all that were shown.
  it('keeps further records that come while it looks for newer ones', async () => {
    const page = await dashboard.openAs(admin, '#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    await page.evaluate(() => {
      const { fetch } = window
      const held = Object.assign(window, { looks: [] as string[] })
      window.fetch = async (...asked) => {
        const response = await fetch(...asked)
        if (!String(asked[0]).includes('/admin/audit') || String(asked[0]).includes('cursor=')) return response
        held.looks.push('held')
        await new Promise((resolve) => window.addEventListener('release', resolve, { once: true }))
        held.looks.push('released')
        return response
      }
    })
    const looks = (wanted: string): Promise<unknown> =>
      page.waitFor(() => page.evaluate((one) => (window as unknown as { looks: string[] }).looks.includes(one), wanted), `a look that is ${wanted}`)
    // The stream tells of it once the page has it; a look at the beginning is as good.
    await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, name: 'Newer' } })
    await looks('held')
    await page.click({ role: 'button', name: 'Show more' })
    await page.waitFor(async () => (await rows(page)) > 60, 'the next page')
    const shown = await rows(page)
    await page.evaluate(() => void window.dispatchEvent(new Event('release')))
    await looks('released')
    await page.expectNoProblems()
    assert.equal(await rows(page), shown)
    assert.equal(await focusedRow(page), 50, 'the focus stays at the first of the further records')
  })

  // What the look had pushed off the first page was on no page.
  it('leaves out no record where a look comes before further ones', async () => {
    const page = await dashboard.openAs(admin, '#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    await page.evaluate(() => {
      const { fetch } = window
      window.fetch = async (...asked) => {
        const response = await fetch(...asked)
        if (String(asked[0]).includes('cursor=')) await new Promise((resolve) => window.addEventListener('release', resolve, { once: true }))
        return response
      }
    })
    await page.click({ role: 'button', name: 'Show more' })
    await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, name: 'Newest' } })
    await page.find({ role: 'link', name: 'Newest' })
    await page.evaluate(() => void window.dispatchEvent(new Event('release')))
    await page.waitFor(async () => (await rows(page)) > 60, 'the next page')
    const shown = await page.evaluate(() => [...document.querySelectorAll('.records a')].map(({ textContent }) => textContent))
    assert.deepEqual(made.map((_, i) => `Topic ${i}`).filter((name) => !shown.includes(name)), [])
    assert.equal(await focusedRow(page), 50)
    await page.expectNoProblems()
  })

  // It went to the first row: the links to who did it are all alike.
  it('keeps the focus in its row when newer records come', async () => {
    const page = await dashboard.openAs(admin, '#/operations?part=audit')
    await page.find({ role: 'button', name: 'Show more' })
    await page.evaluate(() => document.querySelectorAll('.records tbody tr')[4]?.querySelector('a')?.focus())
    assert.equal(await focusedRow(page), 4)
    await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { ...TOPIC, name: 'Newest of all' } })
    await page.find({ role: 'link', name: 'Newest of all' })
    assert.equal(await focusedRow(page), 4)
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

  it('waits for a complete e-mail address', async () => {
    const page = await asAdmin('#/operations?part=audit')
    await page.waitFor(async () => (await rows(page)) === 50, 'all records')
    await page.gone({ role: 'button', name: 'Clear all' })
    await page.fill({ role: 'searchbox', name: 'E-mail address' }, publisher.email.slice(0, publisher.email.indexOf('@') + 3))
    await page.reads(/Enter a complete e-mail address/)
    assert.equal(await rows(page), 50, 'the table stays')
    await page.screenshot('operations-audit-half-address')
    await page.find({ role: 'button', name: 'Clear all' })
    await page.fill({ role: 'searchbox', name: 'E-mail address' }, publisher.email)
    await page.find({ role: 'cell', name: 'User added' })
    await page.waitFor(async () => (await rows(page)) > 0 && (await rows(page)) < 10, 'what was done with the address')
    assert.match(await page.url(), /email=/)
    await page.click({ role: 'button', name: 'Clear all' })
    await page.waitFor(async () => (await rows(page)) === 50, 'all records again')
    assert.doesNotMatch(await page.url(), /email=/)
    await page.gone({ role: 'button', name: 'Clear all' })
    await page.expectNoProblems()
  })

  it('is linked from a document and from a user', async () => {
    const id = made[0] ?? ''
    const page = await asAdmin(`#/topics/${id}`)
    await page.click({ role: 'link', name: 'Audit trail' })
    await page.find({ role: 'table', name: 'Audit trail' })
    await page.waitFor(async () => (await rows(page)) === 1, 'the only record')
    await page.click({ role: 'link', name: 'Topic 0' })
    await page.find({ role: 'textbox', name: /Name/ })
    await page.open(`/#/users/${publisher.id}`)
    await page.click({ role: 'link', name: 'Changes to this user' })
    await page.find({ role: 'cell', name: 'User added' })
    await page.open(`/#/users/${admin.id}`)
    await page.click({ role: 'link', name: 'Activity of this user' })
    await page.waitFor(async () => (await rows(page)) === 50, 'what the administrator did')
    await page.expectNoProblems()
  })

  it('has no link to a document that was deleted later', async () => {
    const id = made[1] ?? ''
    await service.data('DELETE', `/${id}`, { model: 'topic' }, { token: admin.token })
    const page = await dashboard.openAs(admin, `#/operations?part=audit&document=${id}`)
    await page.find({ role: 'cell', name: 'Deleted' })
    await page.waitFor(async () => (await rows(page)) === 2, 'both records')
    const links = await page.findAll({ role: 'link', name: id })
    assert.equal(links.length, 0)
    await page.find({ role: 'button', name: 'Clear all' })
    await page.screenshot('operations-audit-document')
    await page.expectNoProblems()
  })

  it('fits 360 pixels from right to left', async () => {
    const size = { width: 360, height: 740 }
    const page = await dashboard.openAs(admin, '#/operations?part=audit', { size, language: 'ar' })
    await page.loaded()
    await page.waitFor(async () => (await rows(page)) === 50, 'the records')
    assert.equal(await sidewaysPixels(page), 0)
    const misplaced = await page.evaluate(() =>
      [...document.querySelectorAll('.records td')].filter(({ children }) => {
        const ends = [...children].map((child) => Math.round(child.getBoundingClientRect().right))
        return new Set(ends).size > 1
      }).length,
    )
    assert.equal(misplaced, 0, 'all that a cell has begins beside its label')
    await page.screenshot('operations-audit-arabic-360')
    await page.expectNoProblems()
  })
})
