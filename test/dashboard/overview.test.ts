/** The first page: figures, the chart, the latest changes and what needs attention, for each role. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seedSample } from '../../src/content/seeding.ts'
import { dailyCounts, roundTop } from '../../src/dashboard/daily-counts.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })

describe('days of the reader', () => {
  const today = new Date(2026, 10, 21, 15)
  const at = (day: number, hour: number): string => new Date(2026, 10, day, hour).toISOString()

  it('add up hours between two midnights of the reader, with zeros in between', () => {
    const days = dailyCounts(
      [
        { hour: at(19, 0), headlines: 1 },
        { hour: at(19, 23), headlines: 2 },
        { hour: at(21, 14), headlines: 4 },
      ],
      today,
    )
    assert.equal(days.length, 30)
    assert.deepEqual(
      days.slice(-3).map(({ count }) => count),
      [3, 0, 4],
    )
    assert.equal(days.at(-1)?.day.getTime(), new Date(2026, 10, 21).getTime())
  })

  it('have a round top with a half', () => {
    for (const [most, top] of [
      [0, 2],
      [2, 2],
      [3, 6],
      [7, 10],
      [11, 20],
      [21, 50],
      [999, 1000],
    ] as const) {
      assert.equal(roundTop([0, most]), top, String(most))
    }
  })
})

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
    await page.screenshot('overview-light', { whole: true })
    await page.emulate({ colorScheme: 'dark' })
    await page.screenshot('overview-dark', { whole: true })
    await expectAccessible(page)
    await page.expectNoProblems()
    await page.click({ role: 'link', name: new RegExp(`^${counts['draft']} drafts`) })
    await page.find({ role: 'heading', name: 'Headlines' })
  })

  it('asks nothing for a publisher that only administrators may ask', async () => {
    const page = await dashboard.openAs(cast.publisher)
    await page.find({ role: 'heading', name: 'Latest changes' })
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
