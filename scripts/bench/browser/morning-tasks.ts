/** What an editor does in a morning, with the same texts in each dashboard. */
import type { JsonObject } from '../../../src/base/json.ts'
import type { CountedHands } from './counted-hands.ts'

/** In their order. */
export const TASKS = {
  drafts: '30 drafts from a list: title, link and picture',
  fill: 'their source and country, and one of three topics',
  pictures: 'look at all 30 pictures',
  picture: 'another picture for one of them',
  schedule: 'schedule 10, half an hour apart',
  publish: 'publish the other 20',
  typo: 'find a published headline and correct a typo',
  rename: 'rename the topic',
  followed: 'in the background: all its headlines have it',
  version: 'bring back the text of before a save',
  deletion: 'bring back 3 headlines deleted by mistake',
} as const

export type TaskName = keyof typeof TASKS

/** What cannot be done, and what is left to do instead. */
export interface Impossible {
  readonly instead: string
}

/** A task begins where the one before has ended. */
export type Morning = Readonly<Record<TaskName, ((hands: CountedHands) => Promise<void>) | Impossible>>

export interface Draft {
  readonly title: string
  readonly url: string
  readonly imageUrl: string
  readonly topic: string
}

export interface MorningTexts {
  readonly drafts: readonly Draft[]
  readonly source: string
  readonly country: string
  /** The first is the one that is renamed, with all the headlines that were there before. */
  readonly topics: readonly [string, string, string]
  readonly newName: string
}

export const TO_SCHEDULE = 10

/** Of the last draft, which is published by then. */
export const TYPO = { wrong: 'voluntears', right: 'volunteers' }

/** At the end of the new name of the first topic. */
export const RENAMED = ' and more'

const PLACES = ['harbour', 'ferry', 'lighthouse', 'council', 'museum', 'school', 'library', 'railway', 'market', 'theatre']
const EVENTS = ['opens after the repair', 'closes for the winter', 'asks for guides on Sunday']

/** How many of the drafts have become what. */
export type MorningCounts = Readonly<Record<'published' | 'scheduled' | 'renamed' | 'pictures', number>>

export function countsOf(items: readonly JsonObject[]): MorningCounts {
  const count = (has: (item: JsonObject) => boolean): number => items.filter(has).length
  return {
    published: count(({ status }) => status === 'active'),
    scheduled: count(({ status, publishAt }) => status === 'draft' && typeof publishAt === 'string' && publishAt !== ''),
    renamed: count(({ topic }) => String((topic as JsonObject)['name']).endsWith(RENAMED)),
    pictures: new Set(items.map(({ imageUrl }) => imageUrl)).size,
  }
}

/** Three groups of ten, each with a topic. */
export function draftsOf(topics: MorningTexts['topics'], pictures: string): readonly Draft[] {
  return topics.flatMap((topic, group) =>
    PLACES.map((place, i) => {
      const number = group * PLACES.length + i
      const isLast = number === topics.length * PLACES.length - 1
      return { title: `The ${place} ${isLast ? `asks for ${TYPO.wrong}` : EVENTS[group]}`, url: `https://paper.example/${number}`, imageUrl: `${pictures}?${number}`, topic }
    }),
  )
}
