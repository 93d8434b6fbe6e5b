/**
 * A page in a real browser, as tests see it: found by role and name, used by hand, watched for problems.
 *
 *   const page = await browser.open(service.url)
 *   await page.open('/#/topics')
 *   await page.fill({ role: 'searchbox', name: 'Search' }, 'economy')
 *   await page.click({ role: 'button', name: 'New topic' })
 *   await page.find({ role: 'heading', name: 'Economy' })
 *   await page.expectNoProblems()
 *
 * Wherever an element is wanted, a query does. It is looked for until exactly one element matches and takes what is
 * done to it, for a bounded time, so tests need no waits of their own for what appears. Calls on pages of one browser
 * follow one another; never two at once.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  accessibleTree,
  describeQuery,
  elementsMatching,
  outlineOf,
  type AccessibleNode,
  type PageElement,
  type Query,
} from './accessible-nodes.ts'
import type { Key } from './key-strokes.ts'
import { createEmulation, LATENCY_MS, type Emulation } from './page-emulation.ts'
import { createInput, inElement, settle, valueOf } from './page-input.ts'
import type { AllowedProblem, PageRequest, Problem, Traffic } from './page-traffic.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { addAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts'
import { WebDriverError, type Session } from './web-driver.ts'

const SCREENSHOTS = join(import.meta.dirname, '../../../dist/screenshots')
/** What a failure shows of the page. */
const OUTLINE_CHARS_MAX = 4000
/** How long problems() waits for responses that are pending. */
const SETTLE_MS = 10_000
/** What stands where something is still on its way. */
const LOADING = '[aria-busy="true"], .skeleton'
/** Refusals that no patience heals. */
const FINAL = ['unexpected alert open', 'no such window', 'invalid session id', 'timeout', 'unknown command']

export type Target = Query | PageElement

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Page {
  /** Goes to an address, relative to that of the service, and waits until it is loaded. A new `#…` alone loads nothing. */
  open(url: string): Promise<void>
  reload(): Promise<void>
  back(): Promise<void>
  url(): Promise<string>

  /** Waits for the one element that matches. Fails where there is none, or more than one. */
  find(query: Query): Promise<PageElement>
  /** All that match now, in the order of the document; does not wait. */
  findAll(query: Query): Promise<PageElement[]>
  /** Waits until nothing matches. */
  gone(query: Query): Promise<void>
  /** The element that has the focus, or undefined. */
  focused(): Promise<PageElement | undefined>
  /** The text as it is shown (innerText); that of the whole page without a target. */
  text(target?: Target): Promise<string>
  /** Waits until that text matches. */
  reads(pattern: RegExp, target?: Target): Promise<void>
  /** Waits until what has the focus has this name. */
  focuses(name: string | RegExp): Promise<void>

  click(target: Target): Promise<void>
  /** Types at the end of the present text. */
  type(target: Target, text: string): Promise<void>
  /** Replaces what is there. */
  fill(target: Target, text: string): Promise<void>
  /** Puts the text on the clipboard and presses Ctrl+V in the element. */
  paste(target: Target, text: string): Promise<void>
  /** Chooses the option of a `<select>` by its text. */
  select(target: Target, option: string): Promise<void>
  /** Presses keys one after the other: `Tab`, `Shift+Tab`, `Ctrl+S`, `/`. The page gets them where its focus is. */
  press(...chords: readonly Key[]): Promise<void>
  /**
   * Evaluates the condition until its value is neither undefined, null nor false, and gives that. Else fails after `milliseconds` with what
   * was wanted, the last value or error, the page's outline, and a screenshot.
   */
  waitFor<Value>(
    condition: () => Promise<Value> | Value,
    what: string,
    milliseconds?: number,
  ): Promise<NonNullable<Exclude<Value, false>>>
  /** Waits until the page shows what was requested: something in `main`, and nothing on its way. */
  loaded(): Promise<void>

  /** Runs a function in the page. It sees nothing but its arguments and the page; both sides must be JSON. */
  evaluate<Values extends readonly unknown[], Result>(
    work: (...values: Values) => Result | Promise<Result>,
    ...values: Values
  ): Promise<Result>
  /** The same with an element first. */
  inspect<Values extends readonly unknown[], Result>(
    target: Target,
    work: (element: HTMLElement, ...values: Values) => Result | Promise<Result>,
    ...values: Values
  ): Promise<Result>
  /** The accessibility tree, in the order of the document. */
  accessibleTree(): Promise<AccessibleNode[]>
  /** The same as indented lines. */
  outline(): Promise<string>

  /** Sets the size of the viewport in CSS pixels. */
  resize(size: Size): Promise<void>
  /** Changes what it is given, leaves the rest as it was set before. */
  emulate(changes: Emulation): Promise<void>
  /** Writes dist/screenshots/NAME.png with the viewport. Gives the path. */
  screenshot(name: string): Promise<string>
  /** What was downloaded so far, whole files only. */
  downloads(): readonly { readonly name: string; readonly bytes: Buffer }[]

  /** Every request of this browser since it was opened or expectNoProblems() passed. */
  requests(): Promise<readonly PageRequest[]>
  /**
   * What went wrong in this browser since then: console errors and warnings, exceptions, violations of the content
   * security policy, requests that failed or got 400 and above, requests to any other host.
   */
  problems(allow?: readonly AllowedProblem[]): Promise<readonly Problem[]>
  /** Fails with them, and starts a new list. What a test provokes is named: `[{ status: 412, url: '/data/' }]`. */
  expectNoProblems(allow?: readonly AllowedProblem[]): Promise<void>

  /** A device that keeps passkeys, for pages of this browser. */
  authenticator(): Promise<VirtualAuthenticator>
  /** Another tab of the same browser, which shares localStorage but not sessionStorage. */
  newTab(): Promise<Page>
  close(): Promise<void>
  /** A raw command of the DevTools protocol, for what is not here. */
  devTools: Session['devTools']
}

export interface PageParts {
  /** Commands go to the window of this page. */
  readonly session: Session
  readonly service: string
  readonly traffic: Traffic
  readonly downloads: string
  newTab(): Promise<Page>
}

export async function openPage(parts: PageParts, size: Size): Promise<Page> {
  const { session, service, traffic, newTab } = parts
  const { send, devTools } = session
  const input = createInput(session)

  const drain = async (): Promise<void> => {
    // Events before this response have arrived in the driver by now.
    await devTools('Runtime.evaluate', { expression: '0' })
    type Entries = Parameters<Traffic['takeConsole']>[0]
    traffic.takePerformance((await send('POST', '/se/log', { type: 'performance' })) as Entries)
    traffic.takeConsole((await send('POST', '/se/log', { type: 'browser' })) as Entries)
  }
  /** Requests that were waited for in vain; they are not waited for again. */
  const waitedFor = new WeakSet<PageRequest>()
  const isSettled = async (): Promise<boolean> => {
    await drain()
    return traffic.requests.every((request) => request.isOver || waitedFor.has(request))
  }

  const fail = async (what: string, milliseconds: number, last: unknown): Promise<never> => {
    const seen = last instanceof Error ? last.message : JSON.stringify(last)
    const picture = await page.screenshot(`failed-${what}`).catch((error: unknown) => String(error))
    const outline = await page.outline().catch(String)
    throw new Error(
      `Waited ${milliseconds} ms for ${what}; last seen: ${seen}\n${picture}\n${outline.slice(0, OUTLINE_CHARS_MAX)}`,
    )
  }
  const one = async (query: Query): Promise<PageElement> => {
    const [found, ...others] = await elementsMatching(session, query)
    if (found === undefined) throw new Error(`there is no ${describeQuery(query)}`)
    if (others.length === 0) return found
    throw new Error(`${others.length + 1} elements match: ${[found, ...others].map(({ name }) => name).join(' | ')}`)
  }
  /** Does something to an element as soon as it is there and takes it. */
  const act = async <Result>(
    doing: string,
    target: Target,
    work: (element: PageElement) => Promise<Result>,
  ): Promise<Result> => {
    const { value, last } = await until<{ result: Result } | { error: unknown }>(async () => {
      const element = 'node' in target ? target : await one(target)
      try {
        return { result: await work(element) }
      } catch (error) {
        if (error instanceof WebDriverError && !FINAL.includes(error.code)) throw error
        return { error }
      }
    })
    if (value === undefined) return fail(`${doing} ${describeQuery(target)}`, PATIENCE_MS, last)
    if ('error' in value) throw value.error
    return value.result
  }

  const page: Page = {
    devTools,
    newTab,
    async open(url) {
      await send('POST', '/url', { url: new URL(url, service).href })
      await settle(session)
    },
    reload: async () => void (await send('POST', '/refresh')),
    back: async () => void (await send('POST', '/back')),
    url: async () => String(await send('GET', '/url')),

    find: (query) => act('finding', query, async (element) => element),
    findAll: (query) => elementsMatching(session, query),
    async gone(query) {
      await page.waitFor(async () => (await elementsMatching(session, query)).length === 0, `${describeQuery(query)} to go`)
    },
    async focused() {
      // The part of a date that has the focus is in no tree but this one.
      const tree = await accessibleTree(session)
      return tree.find(({ role, states }) => states['focused'] === true && role !== 'RootWebArea')
    },
    text: async (target) =>
      target === undefined
        ? page.evaluate(() => document.body.innerText)
        : page.inspect(target, (element) => element.innerText),
    async reads(pattern, target) {
      await page.waitFor(async () => pattern.test(await page.text(target)), `the words ${pattern}`)
    },
    async focuses(name) {
      const isMeant = (found = ''): boolean => (typeof name === 'string' ? found === name : name.test(found))
      await page.waitFor(async () => isMeant((await page.focused())?.name), `the focus on ${name}`)
    },

    click: (target) => act('clicking', target, input.click),
    type: (target, text) => act('typing into', target, (element) => input.type(element, text)),
    fill: (target, text) => act('filling', target, (element) => input.fill(element, text)),
    select: (target, option) => act('selecting in', target, (element) => input.select(element, option)),
    press: (...chords) => input.press(chords),
    async paste(target, text) {
      const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite']
      await devTools('Browser.grantPermissions', { origin: new URL(service).origin, permissions })
      await page.inspect(target, (element) => element.focus())
      await page.evaluate((value) => navigator.clipboard.writeText(value), text)
      await input.press(['Ctrl+V'])
    },

    async waitFor(condition, what, milliseconds = PATIENCE_MS) {
      const { value, last } = await until(condition, milliseconds)
      return value ?? (await fail(what, milliseconds, last))
    },
    async loaded() {
      await page.waitFor(() => page.evaluate(isLoaded, LOADING), 'the page to be loaded')
    },

    async evaluate(work, ...values) {
      const expression = `(${String(work)})(...${JSON.stringify(values)})`
      const options = { returnByValue: true, awaitPromise: true, userGesture: true }
      return valueOf(await devTools('Runtime.evaluate', { expression, ...options })) as never
    },
    inspect: (target, work, ...values) =>
      act('looking at', target, async (element) => (await inElement(session, element, String(work), values)) as never),
    accessibleTree: () => accessibleTree(session),
    outline: async () => outlineOf(await accessibleTree(session)),

    async resize({ width, height }) {
      const still = { deviceScaleFactor: 1, mobile: false }
      await devTools('Emulation.setDeviceMetricsOverride', { width, height, ...still })
    },
    emulate: createEmulation(session),
    async screenshot(name) {
      const { data } = await devTools('Page.captureScreenshot', { format: 'png' })
      const file = join(SCREENSHOTS, `${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80)}.png`)
      mkdirSync(SCREENSHOTS, { recursive: true })
      writeFileSync(file, Buffer.from(String(data), 'base64'))
      return file
    },
    downloads() {
      const names = readdirSync(parts.downloads).filter((name) => !/\.crdownload$|^\./.test(name))
      const files = names.sort().map((name) => ({ name, bytes: readFileSync(join(parts.downloads, name)) }))
      // Chromium makes an empty file of the name first, and puts the whole one in its place.
      return files.filter(({ bytes }) => bytes.length > 0)
    },

    async requests() {
      await drain()
      return traffic.requests
    },
    async problems(allow = []) {
      // A request without a response, such as a stream of events, is no problem in itself.
      if ((await until(isSettled, SETTLE_MS)).value === undefined) for (const request of traffic.requests) waitedFor.add(request)
      return traffic.problems(allow)
    },
    async expectNoProblems(allow) {
      const problems = await page.problems(allow)
      const lines = problems.map(({ kind, text }) => `  ${kind}: ${text}`)
      if (lines.length > 0) throw new Error(`The page has ${lines.length} problems:\n${lines.join('\n')}`)
      traffic.forget()
    },
    authenticator: () => addAuthenticator(session),
    close: async () => void (await send('DELETE', '/window')),
  }

  await page.resize(size)
  if (LATENCY_MS > 0) await page.emulate({ offline: false })
  // The page believes that it has the focus, whatever other windows there are.
  await devTools('Emulation.setFocusEmulationEnabled', { enabled: true })
  return page
}

/** Runs in the page: whether it has nothing to wait for, once it has begun what it was told last. */
async function isLoaded(loading: string): Promise<boolean> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const main = document.querySelector('main')
  return document.readyState === 'complete' && main?.firstChild != null && document.querySelector(loading) === null
}
