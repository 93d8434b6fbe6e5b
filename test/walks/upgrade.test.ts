/** A service that is upgraded while its page is open: parts that the page would fetch later have other names by then. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import type { PageAsset } from '../../src/app/page-routes.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const HASHED = /(?<=assets\/[\w-]+-|"\.\/[\w-]+-)[A-Z0-9]{8}(?=\.(?:js|css|svg))/g

/** The same files under the names of another version. */
function nextVersion(assets: readonly PageAsset[]): readonly PageAsset[] {
  const renamed = (text: string): string => text.replace(HASHED, (hash) => [...hash].toReversed().join(''))
  return assets.map((asset) => ({
    ...asset,
    path: renamed(asset.path),
    body: Buffer.from(renamed(Buffer.from(asset.body).toString())),
    brotli: undefined,
    gzip: undefined,
  }))
}

describe('a page whose service is upgraded', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })

  it('reloads where a part is gone, keeps what is typed until the reader leaves it, and does not reload for nothing', async () => {
    const { assets } = await buildDashboard()
    const first = await startSuiteService({}, { pageAssets: assets, start: Date.now() })
    const { token } = await first.admin()
    const page = await browser.open(first.url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    const mark = (): Promise<void> => page.evaluate(() => void (document.body.dataset['before'] = 'yes'))
    const isMarked = (): Promise<boolean> => page.evaluate(() => document.body.dataset['before'] === 'yes')
    const reloaded = (): Promise<unknown> => page.waitFor(async () => !(await isMarked()), 'the page to be loaded again')
    await page.open('/#/topics/new')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Tidal power')
    await mark()
    const before = await scriptOf(page)

    await first.stop()
    const port = new URL(first.url).port
    const { directory } = first
    const upgraded = await startSuiteService({ port }, { directory, pageAssets: nextVersion(assets), start: Date.now() })
    assert.equal(upgraded.url, first.url)
    // Leaving what is not saved is asked as ever, and what is typed stays with the reader who does not leave.
    await page.click({ role: 'link', name: 'Operations' })
    await page.click({ role: 'button', name: 'Close' })
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'Tidal power')
    assert.ok(await isMarked())
    await page.click({ role: 'link', name: 'Operations' })
    await page.click({ role: 'button', name: 'Leave' })
    await reloaded()
    await page.find({ role: 'heading', name: 'Operations' })
    assert.notEqual(await scriptOf(page), before)

    // A part that cannot be fetched from the same version is a failure, and no reason to load the page again and again.
    await mark()
    await upgraded.stop()
    const broken = nextVersion(assets).filter(({ path }) => !path.includes('users-screen'))
    await startSuiteService({ port }, { directory, pageAssets: broken, start: Date.now() })
    await page.click({ role: 'link', name: 'Users' })
    await page.find({ role: 'button', name: 'Try again' })
    assert.ok(await isMarked())
  })
})

function scriptOf(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')
}
