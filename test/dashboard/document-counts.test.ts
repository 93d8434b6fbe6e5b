// isolated: it replaces a global
/** How many documents of a model, and what was done with them: in the plural forms of each language. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countTitle } from '../../src/dashboard/model-titles.ts'
import { t, useLanguage, type LanguageCode, type TextKey } from '../../src/dashboard/texts.ts'
import { country } from '../../src/models/country.ts'
import { headline } from '../../src/models/headline.ts'
import { source } from '../../src/models/source.ts'
import { topic } from '../../src/models/topic.ts'
import type { Model } from '../../src/models/schema.ts'

// The language of a page is that of its document.
Object.assign(globalThis, { document: { documentElement: {} } })
const NEW: Model = { ...topic, name: 'podcast' }

const ROWS: readonly (readonly [LanguageCode, TextKey, Model, number, string])[] = [
  ['en', 'bulk.archived', headline, 4, '4 headlines archived'],
  ['en', 'bulk.draft', NEW, 2, 'Podcasts: 2 unpublished'],
  ['en', 'bulk.active', source, 1_200, '1,200 sources published'],
  ['de', 'bulk.failed', topic, 1, '1 Thema nicht geändert'],
  ['fr', 'bulk.archived', country, 3, 'Vous avez archivé 3 pays'],
  ['es', 'bulk.archived', headline, 4, 'Se archivaron 4 titulares'],
  ['ar', 'bulk.deleted', headline, 1, 'تم حذف خبر واحد'],
  ['ar', 'bulk.deleted', headline, 2, 'تم حذف خبرين'],
]

for (const [language, key, model, count, text] of ROWS) {
  it(`${key} of ${count} is “${text}” in ${language}`, async () => {
    await useLanguage(language)
    // Without the signs that isolate a text from one that runs the other way.
    assert.equal(t(key, { count, items: countTitle(model, count) }).replace(/[\u2068\u2069]/g, ''), text)
  })
}

it('in Arabic has six forms', async () => {
  await useLanguage('ar')
  const nouns = [0, 1, 2, 3, 11, 100].map((count) => countTitle(topic, count).replace(/[\d٠-٩]+/, '').trim())
  assert.deepEqual(nouns, ['موضوع', 'موضوع واحد', 'موضوعين', 'مواضيع', 'موضوعًا', 'موضوع'])
})
