/**
 * The dashboard in a real browser: a service that serves its page, and windows that are signed in already.
 *
 *   const dashboard = await startDashboard()
 *   const page = await dashboard.openAs(dashboard.cast.publisher, '#/headlines')
 *
 * Where there is no browser, only the service is there: skip the tests with `browserMissing()`.
 */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { buildDashboard } from '../../../scripts/build-dashboard.ts'
import { bodyOf } from '../../../scripts/tools/data-bodies.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import type { LanguageCode } from '../../../src/dashboard/texts.ts'
import { testBrowser, type Page } from './browser.ts'
import { newCast, type Cast, type Person } from '../cast.ts'
import type { TestService, TestSettings } from '../service/service.ts'
import { startSuiteService } from '../service/suite-service.ts'

export interface WindowOptions {
  readonly language?: LanguageCode
}

export interface Dashboard {
  readonly service: TestService
  readonly cast: Cast
  /** A browser of its own for each call: nothing is shared between two windows. */
  openAs(person: Person, hash?: string, options?: WindowOptions): Promise<Page>
  /** The same without a session. */
  open(hash?: string, options?: WindowOptions): Promise<Page>
  /** Stores a document as an administrator, with what its model needs where no member says otherwise. Gives its id. */
  store(model: string, members?: JsonObject): Promise<string>
  /** A document as an administrator reads it. */
  read(model: string, id: string): Promise<JsonObject>
}

/** What tests look for most. */
export const button = (name: string | RegExp) => ({ role: 'button', name }) as const
export const link = (name: string | RegExp) => ({ role: 'link', name }) as const

/** Answers a question with its button of this name. */
export async function confirm(page: Page, name: string): Promise<void> {
  await page.click({ ...button(name), within: await page.find({ role: 'dialog', name: /\?$/ }) })
}

/** Chooses one of the further actions of an editor. */
export async function chooseMore(page: Page, name: string, role = 'button'): Promise<void> {
  await page.click(button('More actions'))
  const within = await page.find({ role: 'group', name: 'More actions' })
  await page.click({ role, name, within })
}

/** Keeps the notices of a page in sight, as a pointer that rests on them does: an undo in one is there until it is used. */
export function holdNotices(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const notice of document.querySelectorAll('.notice')) notice.dispatchEvent(new MouseEvent('mouseenter'))
  })
}

/** For all tests of a file: call it at its top. Its data is in a new directory, or in this one. */
export async function startDashboard(settings: TestSettings = {}, data: { directory?: string } = {}): Promise<Dashboard> {
  const { assets } = await buildDashboard()
  // The browser has a clock of its own, and what the page shows depends on both.
  const start = Date.now()
  const service = await startSuiteService(settings, { pageAssets: assets, start, ...data })
  const browser = testBrowser({ after })
  const cast = await newCast(service)
  const open = async (token: string | undefined, hash: string, { language = 'en' }: WindowOptions): Promise<Page> => {
    const page = await browser.open(service.url)
    // Storage belongs to an origin, so something of the service has to be open before it is filled.
    await page.open('/robots.txt')
    await page.evaluate(
      (kept, chosen) => {
        localStorage.setItem('dateline.choices', JSON.stringify({ language: chosen }))
        if (kept !== null) sessionStorage.setItem('dateline.token', kept)
      },
      token ?? null,
      language,
    )
    await page.open(`/${hash}`)
    await page.waitFor(() => page.evaluate(() => document.documentElement.dataset['ready'] === 'true'), 'the page to be ready')
    return page
  }
  return {
    service,
    cast,
    openAs: ({ token }, hash = '', options = {}) => open(token, hash, options),
    open: (hash = '', options = {}) => open(undefined, hash, options),
    async store(model, members = {}) {
      const body = { ...bodyOf(model), ...members }
      const response = await service.data('POST', '', { model }, { token: cast.admin.token, body })
      assert.equal(response.status, 201, response.text)
      return String(response.at('data.id'))
    },
    read: async (model, id) =>
      (await service.data('GET', `/${id}`, { model }, { token: cast.admin.token })).at('data') as JsonObject,
  }
}
