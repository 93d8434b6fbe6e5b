/**
 * `npm run bench -- dashboard [N]`: how quick the list of headlines is in a real browser, on the executable with N of
 * them (default 100,000), each figure beside the one that is wanted.
 *
 * First rows: from the start of the navigation to the frame that shows them. Typing: from the end of the pause that
 * search waits for to the frame with the new rows. Scrolling: through 2,000 rows at a steady pace, frames a second by
 * the browser's own animation frames, and what is in memory before and after, garbage collected.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openServices } from '../src/app/services.ts'
import { systemClock } from '../src/base/clock.ts'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config/read-config.ts'
import { browserMissing, testBrowser, type Page } from '../test/support/browser/browser.ts'
import { fillWorld } from './bench/world.ts'
import { bundleProgram } from './build-bundle.ts'
import { buildExecutable } from './build-executable.ts'
import { SYSTEM } from '../src/store/actor.ts'

const HEADLINES_DEFAULT = 100_000
const OPENINGS = 7
const SEARCHES = ['storm', 'harbour', 'the', 'light', 'winter', 'boats', 'old', 'electric', 'small', 'market']
/** As the list has it. */
const SEARCH_PAUSE_MS = 150
const ROWS = 2_000
const SCROLL_MS = 10_000
const WANTED = { firstRowsMs: 500, typingMs: 150, framesPerSecond: 50 }

export async function run([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  const missing = browserMissing()
  if (missing !== undefined) throw new Error(`Cannot drive a browser: ${missing}`)
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  const ends: (() => void | Promise<void>)[] = [() => rmSync(directory, { recursive: true, force: true })]
  try {
    const [dateline, data] = [join(directory, 'dateline'), join(directory, 'data')]
    buildExecutable({ bundle: await bundleProgram(), node: process.execPath, output: dateline })
    const token = await fill(data, Number(count))
    const server = spawn(dateline, ['serve', '--port', '0', '--data-dir', data], { stdio: ['ignore', 'pipe', 'ignore'] })
    ends.unshift(async () => {
      server.kill()
      await once(server, 'close')
    })
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const page = await testBrowser({ after: (work) => void ends.unshift(work) }).open(url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    console.log(`${count} headlines`)
    const [first = 0, ...others] = await openings(page)
    print('first rows, nothing cached', `${first} ms`, WANTED.firstRowsMs)
    print('first rows, median', `${median(others)} ms`, WANTED.firstRowsMs)
    const searches = await typing(page)
    print('typing to new rows, median', `${median(searches)} ms`, WANTED.typingMs)
    const slowest = Math.max(...searches)
    const words = SEARCHES[searches.indexOf(slowest)] ?? ''
    print(`typing to new rows, "${words}"`, `${slowest} ms`, WANTED.typingMs)
    await scrolling(page)
  } finally {
    for (const end of ends) await end()
  }
}

function print(what: string, found: string, wanted?: number): void {
  console.log(`${what.padEnd(32)}${found.padStart(14)}${wanted === undefined ? '' : `   wanted ${wanted}`}`)
}

/** Writes the headlines and an administrator, and gives a token of that. */
async function fill(directory: string, count: number): Promise<string> {
  const now = systemClock()
  const config = readConfig(new Map([['dataDir', directory]]), {})
  const log = createLog({ level: 'error', format: 'json', now: systemClock, write: (text) => console.error(text) })
  const services = await openServices(config, { jwtSecret: undefined }, { now: systemClock, log, own: true })
  await fillWorld(services, count)
  const [{ store, accounts, sessions }, email] = [services, 'bench@example.org']
  await accounts.ensureAdmin(email, now, SYSTEM)
  const token = await sessions.issue(String((await store.userByEmail(email))?.['id']), { label: 'benchmark', now })
  await store.close()
  return token
}

/** Milliseconds from the start of each navigation to the frame with its rows. */
async function openings(page: Page): Promise<number[]> {
  await page.devTools('Page.enable')
  await page.devTools('Page.addScriptToEvaluateOnNewDocument', {
    source: `(function look() {
      if (document.querySelector('.table-body .row:not(.empty)')) requestAnimationFrame(() => { window.rowsAt = performance.now() })
      else requestAnimationFrame(look)
    })()`,
  })
  const times: number[] = []
  for (let i = 0; i < OPENINGS; i++) {
    await page.open(`/?opening=${i}#/headlines`)
    const at = await page.waitFor(
      () => page.evaluate(() => (window as unknown as { rowsAt?: number }).rowsAt),
      'the first rows',
    )
    times.push(Math.round(at))
  }
  return times
}

/** Milliseconds from the end of the pause of each search to the frame with its rows. */
async function typing(page: Page): Promise<number[]> {
  const times: number[] = []
  for (const words of SEARCHES) {
    const ms = await page.evaluate(
      (text, pause) =>
        new Promise<number>((resolve) => {
          const input = document.querySelector<HTMLInputElement>('input[type=search]')
          const grid = document.querySelector('[role=grid]')
          if (input === null || grid === null) throw new Error('There is no list')
          const since = performance.now()
          // The table is busy from the request on until it has the new rows.
          const watcher = new MutationObserver(() => {
            if (grid.hasAttribute('aria-busy')) return
            watcher.disconnect()
            requestAnimationFrame(() => resolve(performance.now() - since - pause))
          })
          watcher.observe(grid, { attributes: true, attributeFilter: ['aria-busy'] })
          input.value = text
          input.dispatchEvent(new Event('input'))
        }),
      words,
      SEARCH_PAUSE_MS,
    )
    times.push(Math.round(ms))
  }
  return times
}

async function scrolling(page: Page): Promise<void> {
  await page.open('/?scrolling#/headlines')
  await page.waitFor(() => page.evaluate(() => document.querySelector('.table-body .row:not(.empty)') !== null), 'rows')
  const before = await memory(page)
  const { frames, ms, longest, rows, rowsMax } = await page.evaluate(
    (wanted, wantedMs) =>
      new Promise<{ frames: number; ms: number; longest: number; rows: number; rowsMax: number }>((resolve) => {
        const height = document.querySelector<HTMLElement>('.table-body .row')?.offsetHeight ?? 44
        const perMs = (wanted * height) / wantedMs
        const found = { frames: 0, ms: 0, longest: 0, rows: 0, rowsMax: 0 }
        let [begun, last] = [0, 0]
        const step = (now: number): void => {
          if (begun === 0) begun = last = now
          else {
            scrollBy(0, (now - last) * perMs)
            found.frames++
            found.longest = Math.max(found.longest, now - last)
            found.rowsMax = Math.max(found.rowsMax, document.querySelectorAll('.table-body .row').length)
          }
          last = now
          found.ms = now - begun
          found.rows = scrollY / height
          if (found.rows < wanted && found.ms < 3 * wantedMs) requestAnimationFrame(step)
          else resolve(found)
        }
        requestAnimationFrame(step)
      }),
    ROWS,
    SCROLL_MS,
  )
  const after = await memory(page)
  print(`scrolling ${Math.round(rows)} rows`, `${Math.round((frames / ms) * 1000)} frames/s`, WANTED.framesPerSecond)
  print('longest frame', `${Math.round(longest)} ms`)
  print('rows in the document, most', String(rowsMax))
  print('JavaScript heap', `${before.heap} → ${after.heap} MiB`)
  print('nodes', `${before.nodes} → ${after.nodes}`)
}

async function memory(page: Page): Promise<{ readonly heap: string; readonly nodes: number }> {
  await page.devTools('HeapProfiler.collectGarbage')
  await page.devTools('Performance.enable')
  const { metrics } = (await page.devTools('Performance.getMetrics')) as unknown as {
    readonly metrics: readonly { readonly name: string; readonly value: number }[]
  }
  const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { heap: (value('JSHeapUsedSize') / 2 ** 20).toFixed(1), nodes: value('Nodes') }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
