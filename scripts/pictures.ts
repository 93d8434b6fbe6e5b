/**
 * `npm run pictures` makes the pictures of the README, `data/pictures/NAME-light.png` and `NAME-dark.png`: a new service
 * with the sample content, looked at with Chromium by its administrator.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserMissing, testBrowser } from '../test/support/browser/browser.ts'
import { run, serve } from './tools/program.ts'
import { buildDashboard } from './build-dashboard.ts'

const ROOT = join(import.meta.dirname, '..')
const PICTURES = join(ROOT, 'data/pictures')
const EMAIL = 'you@example.org'
const SIZE = { width: 1280, height: 760 }
const SCREENS = { headlines: '#/headlines' }

const missing = browserMissing()
if (missing !== undefined) throw new Error(`Cannot take pictures: ${missing}`)
const directory = mkdtempSync(join(tmpdir(), 'dateline-pictures-'))
const ends: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
const after = (end: () => unknown): void => void ends.unshift(end)
try {
  await buildDashboard()
  const data = ['--data-dir', join(directory, 'data')]
  const { url } = await serve({ after }, ['--admin-email', EMAIL, ...data])
  await run(['seed', ...data])
  const token = (await run(['token', '--email', EMAIL, ...data])).stdout.trim()
  const page = await testBrowser({ after }).open(url, { size: SIZE })
  // Storage belongs to an origin: a page of the service must be open before it is filled.
  await page.open('/robots.txt')
  await page.evaluate((kept) => {
    localStorage.setItem('dateline.choices', JSON.stringify({ language: 'en' }))
    sessionStorage.setItem('dateline.token', kept)
  }, token)
  mkdirSync(PICTURES, { recursive: true })
  for (const [name, hash] of Object.entries(SCREENS)) {
    await page.open(`/${hash}`)
    await page.loaded()
    const areDrawn = (): Promise<boolean> =>
      page.evaluate(() => [...document.querySelectorAll('main img')].every((one) => one.getBoundingClientRect().top > innerHeight || one.classList.contains('whole')))
    await page.waitFor(areDrawn, 'the pictures of the rows')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulate({ colorScheme })
      copyFileSync(await page.screenshot(`readme-${name}`), join(PICTURES, `${name}-${colorScheme}.png`))
    }
  }
} finally {
  for (const end of ends) await end()
}
