/** What a page says around its stories: in its language where that is one of data/publications.json, else in English. */
import texts from '../../data/publications.json' with { type: 'json' }

export type PageTexts = (typeof texts)['en']

const BY_LANGUAGE: ReadonlyMap<string, PageTexts> = new Map(Object.entries(texts))

export interface LocalTexts {
  readonly language: string
  readonly texts: PageTexts
}

/** The languages of the texts. */
export const PAGE_LANGUAGES: readonly string[] = [...BY_LANGUAGE.keys()]

export function pageTexts(language: string): LocalTexts {
  const found = BY_LANGUAGE.get(language)
  return found === undefined ? { language: 'en', texts: texts.en } : { language, texts: found }
}
