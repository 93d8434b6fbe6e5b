/**
 * The morning in the admin UI of PocketBase, each task in the least clicks and keys that we found.
 *
 * Topics, sources and countries are relations, which is how PocketBase wants them: a renamed topic has its new name in all
 * headlines at once, for apps that expand relations in their requests. A headline is shown by a rule of its collection when it is
 * active, or when the time in its field `publishAt` is over: PocketBase itself publishes nothing at a time.
 */
import { DatabaseSync } from 'node:sqlite'
import type { JsonObject } from '../../../src/base/json.ts'
import type { BenchRoom } from '../bench-processes.ts'
import { launchPocketBase, SUPERUSER, type PocketBaseCall, type RunningPocketBase } from '../pocketbase-process.ts'
import type { World } from '../world.ts'
import type { CountedHands } from './counted-hands.ts'
import { countsOf, TO_SCHEDULE, TYPO, type Draft, type Morning, type MorningCounts, type MorningTexts } from './morning-tasks.ts'

const FORM = '.record-upsert-modal'
const PICKER = '.records-picker-modal'
const TITLES = 'td.col-field-name-title'
const SHOWN = 'status = "active" || (publishAt != "" && publishAt <= @now)'
const TEXTS = ['title', 'excerpt', 'url', 'imageUrl', 'status']
const RELATIONS = ['source', 'topic', 'eventCountry']
const TIME = { type: 'autodate', onCreate: true }

export async function startPocketBaseMorning(room: BenchRoom, binary: string, world: World): Promise<RunningPocketBase> {
  const running = await launchPocketBase(room, { name: 'pocketbase', binary })
  await configure(running.call)
  fill(running.file, world)
  return running
}

async function configure(call: PocketBaseCall): Promise<void> {
  await call('PATCH', '/api/settings', { rateLimits: { enabled: false } })
  const times = [{ ...TIME, name: 'created' }, { ...TIME, name: 'updated', onUpdate: true }]
  const make = async (name: string, listRule: string, fields: readonly object[], indexes: readonly string[]): Promise<string> => {
    const made = await call('POST', '/api/collections', { name, type: 'base', listRule, viewRule: listRule, fields: [...fields, ...times], indexes })
    return String(made['id'])
  }
  const named = [{ name: 'name', type: 'text', required: true, presentable: true }]
  const relations: object[] = []
  for (const name of RELATIONS) {
    const collectionId = await make(name, '', named, [`CREATE INDEX ${name}_name ON ${name} (name)`])
    relations.push({ name, type: 'relation', collectionId, maxSelect: 1 })
  }
  const fields = [
    { name: 'title', type: 'text', required: true, presentable: true },
    { name: 'excerpt', type: 'text' },
    { name: 'url', type: 'url' },
    { name: 'imageUrl', type: 'url' },
    ...relations,
    { name: 'status', type: 'select', values: ['draft', 'active', 'archived'], maxSelect: 1 },
    { name: 'publishAt', type: 'date' },
  ]
  await make('headline', SHOWN, fields, ['CREATE INDEX headline_created ON headline (created)', 'CREATE INDEX headline_status ON headline (status)'])
}

/** Rows as PocketBase itself would store them. All headlines have the first topic. */
function fill(file: string, { topics, sources, countries, template, count }: World): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN IMMEDIATE')
    for (const [name, all] of [['topic', topics], ['source', sources], ['eventCountry', countries]] as const) {
      const insert = database.prepare(`INSERT INTO ${name} (id, name, created, updated) VALUES (?, ?, ?, ?)`)
      all.forEach((one, i) => insert.run(idOf(name, i), String(one['name']), ...timesOf(one)))
    }
    const places = new Map([topics, sources, countries].flatMap((all) => all.map((one, i) => [String(one['id']), i] as const)))
    const columns = ['id', 'created', 'updated', ...TEXTS, ...RELATIONS]
    const insert = database.prepare(`INSERT INTO headline (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    const relation = (item: JsonObject, name: string): string =>
      idOf(name, name === 'topic' ? 0 : (places.get(String((item[name] as JsonObject)['id'])) ?? 0))
    for (let i = 0; i < count; i++) {
      const item = template(i)
      insert.run(idOf('headline', i), ...timesOf(item), ...TEXTS.map((name) => String(item[name])), ...RELATIONS.map((name) => relation(item, name)))
    }
    database.exec('COMMIT; ANALYZE')
  } finally {
    database.close()
  }
}

const idOf = (name: string, i: number): string => `${name.slice(0, 2)}${String(i).padStart(13, '0')}`

function timesOf(item: JsonObject): readonly [string, string] {
  const time = String(item['updatedAt']).replace('T', ' ')
  return [time, time]
}

/** Before the morning begins: the list of headlines. */
export async function openPocketBase({ page }: CountedHands): Promise<void> {
  await page.open('/_/')
  await page.fill({ role: 'textbox', name: /^Email/ }, SUPERUSER.identity)
  await page.fill({ role: 'textbox', name: /^Password/ }, SUPERUSER.password)
  await page.press('Enter')
  await page.find({ role: 'link', name: 'Logs' })
  await page.open('/_/#/collections?collection=headline')
  await page.waitFor(() => page.evaluate((titles) => document.querySelector(titles) !== null, TITLES), 'the list of headlines')
}

/** What the figures do not say. */
export const POCKETBASE_REMARKS: readonly string[] = [
  'PocketBase publishes nothing at a time: a developer adds the field and a rule that shows the record from then on; its status stays “draft”.',
  'Its topics are relations: apps that expand them read the new name at once. Copies in JSON columns would follow nothing.',
]

export function pocketBaseMorning({ drafts, source, country, topics, newName }: MorningTexts): Morning {
  const [first] = drafts as readonly [Draft]
  const mistaken = drafts.at(-1)?.title ?? ''
  return {
    /**
     * A copy of the record before has its source, country and topic already, so that these are chosen when the records are made,
     * and a topic again where another one begins.
     */
    async drafts(hands) {
      await hands.click({ role: 'button', name: 'New record' })
      await hands.page.find({ role: 'button', name: 'Create' })
      await typeTexts(hands, first)
      await relate(hands, 'source', source)
      await relate(hands, 'topic', first.topic)
      await relate(hands, 'eventCountry', country)
      await choose(hands, 'draft')
      await saveAndStay(hands)
      for (const [i, draft] of drafts.entries()) {
        if (i === 0) continue
        await hands.clickOn(`${FORM} .modal-header button[title="More options"]`)
        await hands.clickOn(`${FORM} .modal-header .dropdown-item`, 'Duplicate')
        await hands.page.find({ role: 'button', name: 'Create' })
        await typeTexts(hands, draft)
        if (draft.topic !== drafts[i - 1]?.topic) await relate(hands, 'topic', draft.topic)
        await saveAndStay(hands)
      }
      await hands.clickOn(`${FORM} .modal-footer button`, 'Close')
      await closed(hands)
    },
    fill: { instead: 'done above: each new record is a copy of the one before' },
    pictures: { instead: 'an address in a field is not shown as a picture; each of 30 links opens a tab' },
    async picture(hands) {
      await openRecord(hands, drafts.at(-1)?.title ?? '')
      await hands.clickOn(`${FORM} input[name=imageUrl]`)
      await hands.press('Ctrl+A')
      await hands.type(`${first.imageUrl}-other`)
      await save(hands)
    },
    /** Only the field is set: it is the rule of the collection that shows the record from then on, while it is a draft. */
    async schedule(hands) {
      for (const [i, { title }] of drafts.slice(0, TO_SCHEDULE).entries()) {
        await openRecord(hands, title)
        await hands.clickOn(`${FORM} input[name=publishAt]`)
        await hands.page.evaluate((form) => document.querySelector<HTMLElement>(`${form} input[name=publishAt]`)?.focus(), FORM)
        const time = new Date(Date.now() + 86_400_000 + i * 1_800_000).toISOString()
        await hands.typeDate(partsOf(time))
        await save(hands)
      }
    },
    async publish(hands) {
      for (const { title } of drafts.slice(TO_SCHEDULE)) {
        await openRecord(hands, title)
        await choose(hands, 'active')
        await save(hands)
      }
    },
    async typo(hands) {
      await search(hands, TYPO.wrong)
      await openRecord(hands, mistaken)
      await hands.click({ role: 'textbox', name: 'title *' })
      await hands.press('Ctrl+A')
      await hands.type(mistaken.replace(TYPO.wrong, TYPO.right))
      await save(hands)
    },
    async rename(hands) {
      await hands.clickOn('button.nav-item[title=topic]')
      await search(hands, topics[0])
      await openRecord(hands, topics[0], 'td.col-field-name-name')
      await hands.click({ role: 'textbox', name: 'name *' })
      await hands.press('Ctrl+A')
      await hands.type(newName)
      await save(hands)
    },
    async followed() {},
    version: { instead: 'no history: the old text is typed again by an editor who remembers it' },
    deletion: { instead: 'no undo and no trash: an administrator restores a backup, which takes back all else since; or all is typed again' },
  }
}

/** What has become of the drafts, for a comparison that both have done the same. */
export async function countPocketBase({ call }: RunningPocketBase, { drafts }: MorningTexts): Promise<MorningCounts> {
  const places = new Set(drafts.map(({ url }) => url))
  const found = await call('GET', '/api/collections/headline/records?perPage=50&sort=-created&expand=topic', undefined)
  const items = (found['items'] as readonly JsonObject[]).filter(({ url }) => places.has(String(url)))
  return countsOf(items.map((item) => ({ ...item, topic: (item['expand'] as JsonObject)['topic'] ?? null })))
}

/** From the form, which has the focus when it has opened: past the id. */
async function typeTexts(hands: CountedHands, { title, url, imageUrl }: Draft): Promise<void> {
  await hands.press('Tab', 'Tab', 'Ctrl+A')
  await hands.type(title)
  await hands.press('Tab', 'Tab')
  await hands.type(url)
  await hands.press('Tab')
  await hands.type(imageUrl)
}

async function relate(hands: CountedHands, field: string, name: string): Promise<void> {
  await hands.clickOn(`${FORM} output[name=${field}] > button`)
  const { page } = hands
  await page.find({ role: 'button', name: 'Set selection' })
  await hands.clickOn(`${PICKER} form [role=textbox]`)
  await hands.type(name)
  await hands.press('Enter')
  await hands.clickOn(`${PICKER} .list-item .record-summary`, name)
  await hands.click({ role: 'button', name: 'Set selection' })
  await page.gone({ role: 'button', name: 'Set selection' })
}

async function choose(hands: CountedHands, status: string): Promise<void> {
  await hands.clickOn(`${FORM} output[name=status] .selected-container`)
  await hands.clickOn(`${FORM} output[name=status] .dropdown button`, status)
}

async function search(hands: CountedHands, text: string): Promise<void> {
  await hands.clickOn('form.searchbar [role=textbox]')
  await hands.press('Ctrl+A')
  await hands.type(text)
  await hands.press('Enter')
}

async function openRecord(hands: CountedHands, title: string, cells = TITLES): Promise<void> {
  await hands.clickOn(cells, title)
  await hands.page.find({ role: 'button', name: 'Save changes' })
}

async function saveAndStay(hands: CountedHands): Promise<void> {
  await hands.press('Ctrl+S')
  const { page } = hands
  const isSaved = (): Promise<boolean> =>
    page.evaluate((form) => [...document.querySelectorAll<HTMLButtonElement>(`${form} .modal-footer button`)].some((one) => one.disabled && one.textContent.trim() === 'Save changes'), FORM)
  await page.waitFor(isSaved, 'the record to be saved')
}

async function save(hands: CountedHands): Promise<void> {
  await hands.click({ role: 'button', name: 'Save changes' })
  await closed(hands)
}

async function closed({ page }: CountedHands): Promise<void> {
  await page.waitFor(() => page.evaluate((form) => document.querySelector(form) === null, FORM), 'the form to be closed')
}

/** As the parts of a date with seconds are typed in American English. */
function partsOf(time: string): string {
  const [, year, month, day, hour = '', minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(time) ?? []
  const hours = Number(hour)
  return `${month}${day}${year}\t${String(hours % 12 === 0 ? 12 : hours % 12).padStart(2, '0')}${minute}00${hours < 12 ? 'a' : 'p'}`
}
