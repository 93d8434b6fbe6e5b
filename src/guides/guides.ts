/** The manual: a guide for each topic, from data/guides. The executable has them inside. */
import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

export interface Guide {
  readonly topic: string
  readonly about: string
}

/** In the order of reading. */
export const GUIDES: readonly Guide[] = [
  { topic: 'moving-data', about: 'export and import, JSON lines and CSV' },
]

/** The Markdown of a topic's guide. */
export function readGuide(topic: string): string {
  const file = `${topic}.md`
  return isSea() ? getAsset(file, 'utf8') : readFileSync(new URL(`../../data/guides/${file}`, import.meta.url), 'utf8')
}
