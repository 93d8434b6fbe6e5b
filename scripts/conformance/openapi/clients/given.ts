/** What each program gets, and how it says what it found. */
import { deepStrictEqual } from 'node:assert'

const { DATELINE_URL = '', DATELINE_TOKEN = '', DATELINE_IDS = '', DATELINE_TITLE = '' } = process.env
const [source = '', country = '', topic = ''] = DATELINE_IDS.split(',')

export const given = {
  url: DATELINE_URL,
  token: DATELINE_TOKEN,
  title: DATELINE_TITLE,
  corrected: `${DATELINE_TITLE}, corrected`,
  body: {
    title: DATELINE_TITLE,
    excerpt: '',
    url: 'https://harbour.example/generated',
    imageUrl: '',
    source: { id: source },
    eventCountry: { id: country },
    topic: { id: topic },
  },
}

export function same(found: unknown, wanted: unknown): void {
  // Some clients make dates of texts.
  deepStrictEqual(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify(wanted)))
}

/** Whether the changes since the start are the headline, once, as it is now. */
export function followed(id: string, changes: readonly unknown[]): void {
  same(changes, [[id, given.corrected, topic]])
}
