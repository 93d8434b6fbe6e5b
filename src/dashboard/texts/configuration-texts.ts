/** The texts of the screen of the configuration, which are many and are for administrators: apart from all others. */
import type { ConfigurationTexts } from './configuration-en.ts'
import { addTexts, currentLanguage, type LanguageCode } from './texts.ts'

const TABLES: { readonly [code in LanguageCode]: () => Promise<ConfigurationTexts> } = {
  en: async () => (await import('./configuration-en.ts')).configurationEn,
  de: async () => (await import('./configuration-de.ts')).configurationDe,
  fr: async () => (await import('./configuration-fr.ts')).configurationFr,
  es: async () => (await import('./configuration-es.ts')).configurationEs,
  ar: async () => (await import('./configuration-ar.ts')).configurationAr,
}

export async function loadConfigurationTexts(): Promise<void> {
  addTexts(await TABLES[currentLanguage()]())
}
