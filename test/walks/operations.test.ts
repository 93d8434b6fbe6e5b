/** The screen of operations: mail, backups, limits, settings and the log, for administrators alone. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, describe, it } from 'node:test'
import { newIdentity } from '../../src/age/age-keys.ts'
import { newerThan, withoutOurs, type LogLine } from '../../src/dashboard/screens/operations/log-lines.ts'
import { settingsWith } from '../../src/dashboard/screens/operations/settings-search.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { openPeer, TAKES_ONE, type Step } from '../support/smtp/smtp-peer.ts'

const MARKUP = '<img src=x onerror=alert(1)>'
const TAKEN: readonly Step[] = [['', '220 hello'], ['EHLO', '250-x\r\n250 AUTH PLAIN'], ...TAKES_ONE]
const peer = await openPeer([['', `421 ${MARKUP} "later"`]], { later: [TAKEN] })
after(() => peer[Symbol.asyncDispose]())
const nas = mkdtempSync(join(tmpdir(), 'dateline-nas-'))
after(() => rmSync(nas, { recursive: true }))
const dashboard = await startDashboard({
  offsite: pathToFileURL(nas).href,
  mail: `smtp://me:correct-horse@127.0.0.1:${peer.port}`,
  mailTls: 'none',
  mailCleartextLogin: 'on',
  rateLimits: 'on',
  codesPerEmail: '1',
})
const { service, cast } = dashboard

describe('lines of the log', () => {
  const line = (event: string, value = '/'): LogLine => ({
    ...{ time: '2026-03-01T12:00:00.000Z', level: 'info', event },
    fields: [{ name: 'path', value }],
  })
  const [a, b, c] = [line('a'), line('b'), line('c')]

  it('are new down to the first that was there, also where lines are alike', () => {
    const rows: readonly (readonly [LogLine[], LogLine[], number])[] = [
      [[], [], 0],
      [[], [a, b], 2],
      [[a, b], [a, b], 0],
      [[b, a], [c, b, a], 1],
      [[a, b], [a, a, b], 1],
      [[a, a, b], [a, a, a, b], 1],
      [[a, b], [c, c], 2],
      [[b, a], [c, b], 1],
    ]
    for (const [before, now, count] of rows) {
      const told = [before, now].map((lines) => lines.map(({ event }) => event).join(''))
      assert.equal(newerThan(before, now), count, told.join(' then '))
    }
  })

  it('leave out those that looking at them writes', () => {
    const [ours, other] = [line('request', '/api/v1/admin/log'), line('request', '/api/v1/data')]
    assert.deepEqual(withoutOurs([ours, other, a]), [other, a])
  })
})

describe('a search in settings', () => {
  const setting = { name: 'mailFrom', flag: '--mail-from', value: 'x@y', origin: 'default', meaning: 'Sender of mail', edit: null }

  it('wants every word, anywhere, in any case', () => {
    for (const [text, found] of [['', 1], ['  MAIL sender ', 1], ['x@y default', 1], ['mail nothing', 0]] as const) {
      assert.equal(settingsWith([setting], text).length, found, text)
    }
    assert.equal(settingsWith([setting], 'absender', () => 'Absender').length, 1)
  })
})

describe('the screen of operations', { skip: browserMissing() }, () => {
  let shared: Page | undefined
  /** One window for all tests of an administrator that change nothing about it. */
  const asAdmin = async (hash: string): Promise<Page> => {
    shared ??= await dashboard.openAs(cast.admin)
    await shared.open(`/${hash}`)
    return shared
  }
  const askCode = (email: string): Promise<unknown> =>
    service.call('POST', '/api/v1/auth/request-code', { body: { email } })

  it('has an address for each part, and each is for everybody to read', async () => {
    const page = await asAdmin('#/operations')
    await page.find({ role: 'heading', name: 'Service' })
    await page.reads(/Everything is working/)
    for (const name of ['Mail outbox', 'Backups', 'Limits', 'Settings', 'Log']) {
      await page.click({ role: 'link', name })
      const title = `${name} · Operations · Dateline`
      await page.waitFor(async () => (await page.evaluate(() => document.title)) === title, `the title ${title}`)
    }
    await page.back()
    await page.reload()
    await page.find({ role: 'textbox', name: 'App name' })
    // It runs alone.
    await page.gone({ role: 'link', name: 'Cluster' })
    await page.expectNoProblems()
  })

  it('shows mail that waits with the words of the mail server, and tries it again', async () => {
    const page = await asAdmin('#/operations?part=outbox')
    await page.find({ role: 'button', name: 'All 0' })
    await askCode('reader@example.org')
    await service.app.idle()
    await page.click({ role: 'button', name: /^Waiting/ })
    await page.find({ role: 'button', name: 'Waiting 1' })
    const reply = { role: 'cell', name: new RegExp(`421 ${RegExp.escape(MARKUP)}`) }
    assert.equal(await page.inspect(reply, (cell) => cell.querySelectorAll('img').length), 0)
    await page.click({ role: 'button', name: 'Retry now: reader@example.org' })
    await page.find({ role: 'button', name: 'Delivered 1' })
    await page.gone({ role: 'button', name: 'Retry now: reader@example.org' })
    await page.click({ role: 'button', name: 'Delivered 1' })
    await page.find({ role: 'cell', name: 'reader@example.org' })
    await page.expectNoProblems()
  })

  it('shows errors of the log, and goes on by itself until it is held', async () => {
    const page = await asAdmin('#/operations?part=log')
    await page.select({ role: 'combobox', name: 'Level' }, 'Warnings and errors')
    const lines = (): Promise<string> => page.text({ role: 'list', name: 'Log' })
    await page.waitFor(async () => /mail\.deferred/.test(await lines()), 'the mail that was deferred')
    assert.doesNotMatch(await lines(), /\brequest\b/)
    assert.ok((await lines()).includes(MARKUP))
    await page.select({ role: 'combobox', name: 'Level' }, 'Info and above')
    await page.waitFor(async () => /path=\/api/.test(await lines()), 'lines of requests')
    assert.doesNotMatch(await lines(), /admin\/log/)
    await service.call('GET', '/api/v1/noticed', { isUndescribed: true })
    await page.waitFor(async () => /\/api\/v1\/noticed/.test(await lines()), 'the line of the request')
    await page.click({ role: 'button', name: 'Pause' })
    await service.call('GET', '/api/v1/later', { isUndescribed: true })
    assert.doesNotMatch(await lines(), /\/api\/v1\/later/)
    await page.click({ role: 'button', name: 'Pause' })
    await page.waitFor(async () => /\/api\/v1\/later/.test(await lines()), 'what came meanwhile')
    assert.match(await page.url(), /part=log&level=info/)
    await page.expectNoProblems()
  })

  it('changes a setting at once, shows who wins, and takes it back', async () => {
    const page = await asAdmin('#/operations?part=settings')
    const appName = { role: 'textbox', name: 'App name' } as const
    await page.fill({ role: 'spinbutton', name: 'Trash' }, '45')
    await page.type(appName, 'City News')
    await page.press('Enter')
    await page.reads(/Settings saved/)
    // What is typed in another group stays.
    assert.equal((await page.find({ role: 'spinbutton', name: 'Trash' })).value, '45')
    await page.type({ role: 'searchbox', name: 'Search settings' }, '--app-name')
    await page.gone({ role: 'spinbutton', name: 'Trash' })
    await page.click({ role: 'heading', name: 'All settings' })
    await page.find({ role: 'cell', name: 'City News' })
    await page.fill({ role: 'searchbox', name: 'Search settings' }, 'dkim')
    assert.doesNotMatch(await page.text({ role: 'table', name: 'Settings' }), /City News/)
    await page.fill({ role: 'searchbox', name: 'Search settings' }, '')
    assert.doesNotMatch(await page.evaluate(() => document.body.textContent ?? ''), /correct-horse/)
    assert.equal((await service.call('GET', '/api/v1/dashboard/setup')).at('data.appName'), 'City News')
    assert.equal(await page.inspect({ role: 'textbox', name: 'Mail server' }, (input) => (input as HTMLInputElement).disabled), true)
    await page.reads(/Set where the service is started: --mail/)
    // Leaving asks before it is lost.
    await page.click({ role: 'link', name: 'Log' })
    await page.click({ role: 'button', name: 'Close' })
    assert.equal((await page.find({ role: 'spinbutton', name: 'Trash' })).value, '45')
    await page.fill({ role: 'spinbutton', name: 'Trash' }, '')
    await page.fill(appName, '')
    await page.press('Enter')
    await page.waitFor(async () => (await service.call('GET', '/api/v1/dashboard/setup')).at('data.appName') === 'Dateline', 'the default')
    await page.click({ role: 'link', name: 'Who changed what' })
    await page.find({ role: 'heading', name: 'Audit trail' })
    await page.waitFor(async () => (await page.findAll({ role: 'cell', name: /Settings changed/ })).length === 2, 'the change and its end')
    await page.expectNoProblems()
  })

  it('makes a backup and gives it to take along, byte for byte', async () => {
    const page = await asAdmin('#/operations?part=backups')
    await page.find({ role: 'button', name: 'Back up now' })
    await page.reads(/No backups yet/)
    await page.click({ role: 'button', name: 'Back up now' })
    const { name: label } = await page.find({ role: 'button', name: /^Download: dateline-.*\.db$/ })
    const name = label.replace('Download: ', '')
    await page.reads(/Last backup/)
    await page.click({ role: 'button', name: label })
    const file = await page.waitFor(() => page.downloads().find((one) => one.name === name), 'the file')
    const kept = readFileSync(join(service.directory, 'data/backups', name))
    assert.ok(kept.length > 100_000 && kept.equals(file.bytes))
    await page.expectNoProblems()
  })

  it('shows the places of off-site backups, why one fails, and stores there', async () => {
    const page = await asAdmin('#/operations?part=backups')
    await page.find({ role: 'heading', name: 'Off-site backups' })
    await page.reads(/no key to encrypt for: run "dateline backup key"/)
    writeFileSync(join(service.directory, 'data/backup-recipients'), `${newIdentity().recipient}\n`)
    await page.click({ role: 'button', name: 'Store now' })
    await page.reads(/Snapshots are being stored/)
    await service.app.offsite.wake()
    await page.open('/#/operations?part=limits')
    await page.open('/#/operations?part=backups')
    await page.reads(/Stored and read back/)
    await page.expectNoProblems()
  })
})
