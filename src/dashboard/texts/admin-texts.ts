/** The texts of the screens that are fetched when they are opened, which are many: apart from all others. */
import type { AdminTexts } from './admin-en.ts'
import { addTexts, currentLanguage, type LanguageCode } from './texts.ts'

const TABLES: { readonly [code in LanguageCode]: () => Promise<AdminTexts> } = {
  en: async () => (await import('./admin-en.ts')).adminEn,
  de: async () => (await import('./admin-de.ts')).adminDe,
  fr: async () => (await import('./admin-fr.ts')).adminFr,
  es: async () => (await import('./admin-es.ts')).adminEs,
  ar: async () => (await import('./admin-ar.ts')).adminAr,
}

export async function loadAdminTexts(): Promise<void> {
  addTexts(await TABLES[currentLanguage()]())
}
