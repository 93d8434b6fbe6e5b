/** The first page: figures, the chart, the latest changes and what needs attention, for each role. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeding.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard({ mail: 'smtp://127.0.0.1:1', mailTls: 'none' })
const { service, cast } = dashboard
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })

describe('the overview', { skip: browserMissing() }, () => {
  it('shows an administrator the figures, and each leads to its list', async () => {
    const page = await dashboard.openAs(cast.admin)
    await page.find({ role: 'heading', name: 'Overview' })
    const counts = (await service.call('GET', '/api/v1/dashboard/overview', { token: cast.admin.token })).at(
      'data.counts.headline',
    ) as Record<string, number>
    const drafts = await page.find({ role: 'link', name: `${counts['draft']} Draft` })
    assert.match(await page.inspect(drafts, (link) => link.getAttribute('href') ?? ''), /#\/headlines\?status=draft$/)
    await page.find({ role: 'table', name: 'Headlines per day, last 30 days' })
    const width = (): Promise<number> =>
      page.evaluate(() => document.querySelector<SVGSVGElement>('.chart svg')?.viewBox.baseVal.width ?? 0)
    const [wide] = [await width(), await page.resize({ width: 360, height: 740 })]
    await page.waitFor(async () => (await width()) < wide / 2 + 1, 'the chart for a narrow page')
    await page.resize({ width: 1280, height: 800 })
    await page.waitFor(async () => (await width()) === wide, 'the chart for a wide page')
    await page.screenshot('overview-light', { whole: true })
    await page.emulate({ colorScheme: 'dark' })
    await page.screenshot('overview-dark', { whole: true })
    await expectAccessible(page)
    await page.expectNoProblems()
    await page.click({ role: 'link', name: new RegExp(`^${counts['draft']} drafts`) })
    await page.find({ role: 'heading', name: 'Headlines' })
  })

  it('tells what needs attention in the language of the reader, and the words of the service with it', async () => {
    await service.call('POST', '/api/v1/auth/request-code', { body: { email: 'reader@example.org' } })
    await service.app.idle()
    service.advance(5 * 60_000)
    const page = await dashboard.openAs(cast.admin, '', { language: 'de' })
    await page.screenshot('overview-attention-german')
    await page.click({ role: 'link', name: /^E-Mail-Versand gestört.*a message has been waiting for/s })
    await page.find({ role: 'heading', name: 'Postausgang' })
    await page.open('/#/operations')
    await page.find({ role: 'link', name: /^E-Mail-Versand gestört/ })
    await page.expectNoProblems()
  })

  it('asks nothing for a publisher that only administrators may ask', async () => {
    const page = await dashboard.openAs(cast.publisher)
    await page.find({ role: 'heading', name: 'Recently updated' })
    assert.deepEqual(await page.findAll({ role: 'link', name: 'Operations' }), [])
    const asked = (await page.requests()).filter(({ url }) => url.includes('/api/v1/admin/'))
    assert.deepEqual(asked, [])
    await page.expectNoProblems()
  })

  it('stays within 360 pixels, also from right to left', async () => {
    const page = await dashboard.openAs(cast.admin, '', { size: { width: 360, height: 740 }, language: 'ar' })
    await page.find({ role: 'heading', name: 'نظرة عامة' })
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
    assert.equal(overflow, 0, 'the page scrolls sideways')
    await page.screenshot('overview-arabic-360', { whole: true })
    await page.expectNoProblems()
  })
})
