/** The morning in our dashboard, each task in the least clicks and keys that we found. */
import type { JsonObject } from '../../../src/base/json.ts'
import type { Target } from '../bench-target.ts'
import type { CountedHands } from './counted-hands.ts'
import { countsOf, TO_SCHEDULE, TYPO, type Draft, type Morning, type MorningCounts, type MorningTexts } from './morning-tasks.ts'

const PICKS = '.table-body .pick input'
/** What is done to many asks first. */
const CONFIRM = 'dialog[open] button[type=submit]'
const button = (name: string | RegExp) => ({ role: 'button', name }) as const

/** Before the morning begins: the list of headlines. Pictures of the test host have a certificate of its own. */
export async function openDateline({ page }: CountedHands, { adminToken }: Target): Promise<void> {
  await page.devTools('Security.setIgnoreCertificateErrors', { ignore: true })
  await page.open('/robots.txt')
  await page.evaluate((token) => {
    localStorage.setItem('dateline.choices', JSON.stringify({ language: 'en' }))
    sessionStorage.setItem('dateline.token', token)
  }, adminToken)
  await page.open('/#/headlines')
  await page.find({ role: 'grid', name: 'Headlines' })
  await page.loaded()
}

export function datelineMorning({ drafts, source, country, topics, newName }: MorningTexts, target: Target): Morning {
  const titles = drafts.map(({ title }) => title)
  const [first] = drafts as readonly [Draft]
  const mistaken = drafts.at(-1)?.title ?? ''
  const corrected = mistaken.replace(TYPO.wrong, TYPO.right)
  return {
    async drafts(hands) {
      await hands.press('n')
      await hands.page.focuses('Title')
      await hands.paste(drafts.map(({ title, url, imageUrl }) => `${title}\t${url}\t${imageUrl}`).join('\n'))
      await hands.page.focuses('Create drafts')
      await hands.press('Enter')
      await hands.page.find({ role: 'row', name: new RegExp(first.title) })
    },
    async fill(hands) {
      await choose(hands, titles)
      await setFields(hands, [source, country])
      for (const topic of topics) {
        await choose(hands, drafts.filter((draft) => draft.topic === topic).map(({ title }) => title))
        await setFields(hands, ['', '', topic])
      }
    },
    async pictures(hands) {
      await hands.click(button('Pictures'))
      const isDrawn = (): Promise<boolean> =>
        hands.page.evaluate(() => [...document.querySelectorAll<HTMLImageElement>('.table-body img')].filter((one) => one.complete && one.naturalWidth > 0).length > 0)
      await hands.page.waitFor(isDrawn, 'pictures')
    },
    async picture(hands) {
      await hands.click({ role: 'link', name: titles.at(-1) ?? '' })
      await hands.click({ role: 'textbox', name: 'Image' })
      await hands.press('Ctrl+A')
      await hands.type(`${first.imageUrl}-other`)
      await save(hands)
    },
    async schedule(hands) {
      await hands.clickOn('.crumb')
      await choose(hands, titles.slice(0, TO_SCHEDULE))
      await hands.click(button('Schedule…'))
      await hands.page.find({ role: 'spinbutton', name: 'Interval in minutes' })
      // The time that is offered is the next full hour.
      await hands.click({ role: 'spinbutton', name: 'Interval in minutes' })
      await hands.press('Ctrl+A')
      await hands.type('30')
      await hands.press('Enter')
      await said(hands, /headlines scheduled/)
      await hands.page.gone({ role: 'group', name: 'Selection' })
    },
    async publish(hands) {
      // Those that were changed last are first.
      await choose(hands, [titles.at(-1) ?? '', ...titles.slice(20, -1), ...titles.slice(TO_SCHEDULE, 20)])
      await hands.click(button('Publish'))
      await hands.clickOn(CONFIRM)
      await said(hands, /headlines published/)
      await hands.page.gone({ role: 'group', name: 'Selection' })
    },
    async typo(hands) {
      await hands.clickOn('.part-links a', undefined)
      await search(hands, TYPO.wrong, mistaken)
      await hands.click({ role: 'link', name: mistaken })
      await hands.click({ role: 'textbox', name: 'Title' })
      await hands.press('Ctrl+A')
      await hands.type(corrected)
      await save(hands)
    },
    async rename(hands) {
      await hands.click({ role: 'link', name: 'Topics' })
      await search(hands, topics[0], topics[0])
      await hands.click({ role: 'link', name: topics[0] })
      await hands.click({ role: 'textbox', name: 'Name' })
      await hands.press('Ctrl+A')
      await hands.type(newName)
      await save(hands)
    },
    async followed({ page }) {
      const topicId = String(target.world.topics[0]?.['id'])
      await page.waitFor(async () => (await get(target, `/${topicId}/usage?model=topic`))['following'] === null, 'the copies to follow', 3_600_000)
    },
    async version(hands) {
      await hands.click({ role: 'link', name: 'Headlines' })
      await hands.click({ role: 'link', name: corrected })
      await hands.click(button('History'))
      await hands.clickOn('.history li:nth-child(2) summary')
      await hands.click(button('Restore this version'))
      await said(hands, /Restored/)
    },
    async deletion(hands) {
      await hands.clickOn('.crumb')
      await choose(hands, titles.slice(TO_SCHEDULE, TO_SCHEDULE + 3))
      await hands.click(button('Delete'))
      await hands.clickOn(CONFIRM)
      await hands.click(button('Undo'))
      await hands.page.waitFor(async () => (await published(target, titles)) === titles.length - TO_SCHEDULE, 'all to be back')
    },
  }
}

/** What has become of the drafts, for a comparison that both have done the same. */
export async function countDateline(target: Target, { drafts }: MorningTexts): Promise<MorningCounts> {
  const filter = encodeURIComponent(JSON.stringify({ url: { $in: drafts.map(({ url }) => url) } }))
  return countsOf((await get(target, `?model=headline&limit=100&filter=${filter}`))['items'] as readonly JsonObject[])
}

/** The first, and with Shift the last, of rows that follow one another. A wheel brings the last into sight. */
async function choose(hands: CountedHands, titles: readonly string[]): Promise<void> {
  const [first = '', last = ''] = [titles[0], titles.at(-1)]
  await hands.page.evaluate(() => scrollTo(0, 0))
  await hands.clickOn(pick(first))
  const isThere = (): Promise<boolean> =>
    hands.page.evaluate((picks) => {
      const found = document.querySelector(picks) !== null
      if (!found) scrollBy(0, innerHeight / 2)
      return found
    }, pick(last))
  await hands.page.waitFor(isThere, last)
  await hands.shiftClickOn(pick(last))
  await hands.page.reads(new RegExp(`${titles.length} selected`), { role: 'group', name: 'Selection' })
}

const pick = (title: string): string => `${PICKS}[aria-label=${JSON.stringify(`Select ${title}`)}]`

/** One value after the other, in the order of the fields; those that are empty stay as they are. */
async function setFields(hands: CountedHands, values: readonly string[]): Promise<void> {
  await hands.click(button('Set fields…'))
  await hands.page.find({ role: 'dialog', name: /^Set fields/ })
  for (const [i, value] of values.entries()) {
    if (i > 0) await hands.press('Tab')
    if (value === '') continue
    await hands.type(value)
    const isFirst = async (): Promise<boolean> => (await hands.page.findAll({ role: 'option' }))[0]?.name.startsWith(value) === true
    await hands.page.waitFor(isFirst, value)
    await hands.press('Enter')
  }
  await hands.press('Enter')
  await said(hands, /headlines changed/)
  // They stay chosen, for what else is to be done with them.
  await hands.click(button('Clear selection'))
  await hands.page.gone({ role: 'group', name: 'Selection' })
}

async function search(hands: CountedHands, text: string, found: string): Promise<void> {
  await hands.page.loaded()
  await hands.press('/')
  await hands.type(text)
  // The list waits for a pause in typing.
  await hands.page.waitFor(() => hands.page.evaluate((wanted) => location.hash.includes(wanted), encodeURIComponent(text).replaceAll('%20', '+')), 'the search')
  await hands.page.find({ role: 'link', name: found })
  await hands.page.loaded()
}

async function save(hands: CountedHands): Promise<void> {
  await hands.press('Ctrl+S')
  await said(hands, /Saved/)
}

async function said({ page }: CountedHands, words: RegExp): Promise<void> {
  await page.reads(words, { role: 'region', name: 'Notices' })
}

async function published(target: Target, titles: readonly string[]): Promise<number> {
  const filter = encodeURIComponent(JSON.stringify({ title: { $in: titles }, status: 'active' }))
  return ((await get(target, `?model=headline&limit=100&filter=${filter}`))['items'] as readonly unknown[]).length
}

async function get({ port, adminToken }: Target, path: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/data${path}`, { headers })
  return ((await response.json()) as { data: JsonObject }).data
}
