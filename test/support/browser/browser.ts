/**
 * A real Chromium for tests, driven over W3C WebDriver.
 *
 *   const service = await startSuiteService()
 *   const browser = testBrowser({ after })
 *
 *   describe('the page', { skip: browserMissing() }, () => {
 *     it('greets', async () => {
 *       const page = await browser.open(service.url)
 *       await page.open('/')
 *       …
 *
 * The driver starts with the first `open()`, one for a file, and ends after its tests with all browsers and their files.
 * Each `open()` starts a browser with an empty profile, which takes half a second: tests of one file may share a page.
 * What a page can do is told in page.ts. The browser opens no connection of its own accord.
 */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { browserMissing, browserPrograms } from './browser-programs.ts'
import { startDriver, type DriverProcess } from './driver-process.ts'
import { openPage, type Page, type Size } from './page.ts'
import { createTraffic } from './page-traffic.ts'
import { openSession, type Session } from './web-driver.ts'

const SIZE: Size = { width: 1280, height: 800 }
const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // Without the driver at the other end of the pipe, the browser ends.
  '--remote-debugging-pipe',
]

export { browserMissing }
export type { Page } from './page.ts'
export type { AllowedProblem, PageRequest, Problem } from './page-traffic.ts'
export type { PageElement, Query } from './accessible-nodes.ts'

export interface Browser {
  /** Opens a window with a profile of its own, for the service at this address. All other hosts are foreign to it. */
  open(service: string, options?: { readonly size?: Size }): Promise<Page>
}

/** Call it where a hook of the file, or of one `describe()`, can be registered: at the top of it, not inside `before()`. */
export function testBrowser(t: Cleanup): Browser {
  let started: Promise<DriverProcess> | undefined
  const sessions: Session[] = []
  t.after(async () => {
    // A browser that is asked to end is sooner gone than one that loses its driver.
    for (const session of sessions) await session.send('DELETE', '').catch(() => {})
    await (await started)?.end()
  })
  return {
    async open(service, { size = SIZE } = {}) {
      const driver = await (started ??= startDriver())
      const directory = mkdtempSync(join(driver.directory, 'profile-'))
      const downloads = join(directory, 'downloads')
      mkdirSync(downloads)
      const session = await openSession(driver.url, capabilities(directory, downloads))
      sessions.push(session)
      const traffic = createTraffic(service)
      let current = ''
      const pageOf = async (handle: string): Promise<Page> => {
        const own = inWindow(session, async () => {
          if (current === handle) return
          await session.send('POST', '/window', { handle })
          current = handle
        })
        return openPage({ session: own, service, traffic, downloads, newTab }, size)
      }
      const newTab = async (): Promise<Page> => {
        const { handle } = (await session.send('POST', '/window/new', { type: 'tab' })) as { readonly handle: string }
        return pageOf(handle)
      }
      current = String(await session.send('GET', '/window'))
      const page = await pageOf(current)
      await page.requests()
      traffic.forget()
      return page
    },
  }
}

/** A session whose commands all go to one window. */
function inWindow({ send, devTools }: Session, enter: () => Promise<void>): Session {
  return {
    async send(...words) {
      await enter()
      return send(...words)
    },
    async devTools(...words) {
      await enter()
      return devTools(...words)
    },
  }
}

function capabilities(directory: string, downloads: string): object {
  return {
    browserName: 'chrome',
    unhandledPromptBehavior: 'ignore',
    'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
    'goog:chromeOptions': {
      binary: browserPrograms().browser,
      args: [...ARGUMENTS, `--user-data-dir=${directory}`],
      prefs: {
        // Debian's first page is one of the network.
        ...{ homepage: 'about:blank', homepage_is_newtabpage: false },
        session: { restore_on_startup: 4, startup_urls: ['about:blank'] },
        // Cookies go with what a page takes from another site, unless the page prevents it.
        profile: { cookie_controls_mode: 0, block_third_party_cookies: false },
        download: { default_directory: downloads, prompt_for_download: false },
      },
    },
  }
}
