/** The first page: figures, the chart, the latest changes and what needs attention, for each role. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { browserMissing } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard({ mail: 'smtp://127.0.0.1:1', mailTls: 'none' })
const { service, cast } = dashboard

describe('the overview', { skip: browserMissing() }, () => {
  it('offers the first headline where there is none, and administrators the set-up', async () => {
    const setUp = { role: 'link', name: 'Set up your service' } as const
    const writer = await dashboard.openAs(cast.publisher)
    await writer.find({ role: 'link', name: 'Write the first headline' })
    assert.deepEqual(await writer.findAll(setUp), [])
    const page = await dashboard.openAs(cast.admin)
    await page.click(setUp)
    await page.find({ role: 'heading', name: 'Set up your service' })
    await page.expectNoProblems()
  })

  it('shows an administrator the figures, and each leads to its list', async () => {
    await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })
    const unfinished = { title: 'Unfinished', status: 'draft' }
    await service.data('POST', '', { model: 'headline', incomplete: true }, { token: cast.admin.token, body: unfinished, isUndescribed: true })
    const page = await dashboard.openAs(cast.admin)
    await page.find({ role: 'heading', name: 'Overview' })
    const counts = (await service.call('GET', '/api/v1/dashboard/overview', { token: cast.admin.token })).at(
      'data.counts.headline',
    ) as Record<string, number>
    // Drafts that lack members are counted here as in the list.
    counts['draft'] = (counts['draft'] ?? 0) + 1
    const drafts = { role: 'link', name: `Drafts ${counts['draft']}` } as const
    await page.find({ role: 'link', name: 'Unfinished' })
    assert.match(await page.inspect(drafts, (link) => link.getAttribute('href') ?? ''), /#\/headlines\?status=draft$/)
    await page.find({ role: 'table', name: 'Headlines per day, last 30 days' })
    await page.reads(/(Created|Changed) by /, { role: 'main' })
    await page.expectNoProblems()
    // What the service publishes today stands beside it, as soon as it is known.
    const publishAt = await page.evaluate(() => new Date(new Date().setHours(23, 59, 59, 0)).toISOString())
    await dashboard.store('headline', { title: 'Tonight', status: 'draft', publishAt })
    await page.find({ role: 'link', name: 'Tonight', within: await page.find({ role: 'list', name: 'Scheduled today' }) })
    // The chart says the day under the pointer.
    const tip = await page.evaluate(() => {
      const chart = document.querySelector('.chart') as HTMLElement
      const { right, top } = chart.getBoundingClientRect()
      chart.dispatchEvent(new PointerEvent('pointermove', { clientX: right - 2, clientY: top + 5 }))
      return chart.querySelector('.chart-tip')?.textContent ?? ''
    })
    assert.match(tip, /^\w+, \w+ \d+, \d{4}: [\d,]+ headlines$/)
    await page.click({ role: 'link', name: new RegExp(`^${counts['draft'] + 1} drafts`) })
    await page.find({ role: 'heading', name: 'Headlines' })
  })

  it('keeps the choice of dark over the system, before anything is painted', async () => {
    const page = await dashboard.openAs(cast.publisher)
    await page.find({ role: 'heading', name: 'Overview' })
    // No change tells of an incomplete draft: the page looks when its reader comes back to it.
    const body = { title: 'Made in another tab', status: 'draft' }
    await service.data('POST', '', { model: 'headline', incomplete: true }, { token: cast.publisher.token, body, isUndescribed: true })
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
    await page.find({ role: 'link', name: 'Made in another tab' })
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await ground()
    await page.click({ role: 'button', name: /^Account/ })
    await page.select({ role: 'combobox', name: 'Appearance' }, 'Dark')
    await page.waitFor(async () => (await ground()) !== light, 'the dark ground')
    const dark = await ground()
    await page.reload()
    await page.find({ role: 'heading', name: 'Overview' })
    assert.equal(await ground(), dark)
    const first = await page.evaluate(() => document.head.querySelector('script')?.type)
    assert.equal(first, '', 'it is no module, which would run behind the first paint')
    await page.expectNoProblems()
  })

  it('tells what needs attention in the language of the reader, also after another is chosen, with the words of the mail server', async () => {
    await service.call('POST', '/api/v1/auth/request-code', { body: { email: 'reader@example.org' } })
    await service.app.idle()
    service.advance(5 * 60_000)
    const page = await dashboard.openAs(cast.admin, '', { language: 'de' })
    await page.click({ role: 'link', name: /^E-Mail-Versand gestört.*Der Mailserver ist seit 5 Minuten gestört/s })
    await page.find({ role: 'heading', name: 'Postausgang' })
    await page.open('/#/operations')
    await page.find({ role: 'link', name: /^E-Mail-Versand gestört/ })
    await page.click({ role: 'button', name: /^Konto/ })
    await page.select({ role: 'combobox', name: 'Sprache' }, 'Español')
    await page.find({ role: 'link', name: /El servidor de correo falla desde hace 5 minutos/ })
    await page.expectNoProblems()
  })
})
