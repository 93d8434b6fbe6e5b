/** The tables of texts: complete, in the same form in every language, and without what nobody says. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ar } from '../../src/dashboard/texts/ar.ts'
import { adminAr } from '../../src/dashboard/texts/admin-ar.ts'
import { adminDe } from '../../src/dashboard/texts/admin-de.ts'
import { adminEn, type AdminTexts } from '../../src/dashboard/texts/admin-en.ts'
import { adminEs } from '../../src/dashboard/texts/admin-es.ts'
import { adminFr } from '../../src/dashboard/texts/admin-fr.ts'
import { de } from '../../src/dashboard/texts/de.ts'
import { en, type Texts } from '../../src/dashboard/texts/en.ts'
import { es } from '../../src/dashboard/texts/es.ts'
import { fr } from '../../src/dashboard/texts/fr.ts'
import { MODELS } from '../../src/models/registry.ts'

const ROOT = join(import.meta.dirname, '../../src/dashboard')
type AllTexts = Texts & AdminTexts
const ENGLISH: AllTexts = { ...en, ...adminEn }
const TABLES: Readonly<Record<string, AllTexts>> = {
  en: ENGLISH,
  de: { ...de, ...adminDe },
  fr: { ...fr, ...adminFr },
  es: { ...es, ...adminEs },
  ar: { ...ar, ...adminAr },
}
const forms = (text: string): ReadonlyMap<string, string> | undefined =>
  /^\w+:/.test(text) && text.includes('other:')
    ? new Map(text.split('|').map((form) => [form.slice(0, form.indexOf(':')), form.slice(form.indexOf(':') + 1)]))
    : undefined

/** The places of a text. A model stands in some languages as it is and in others in small letters. */
const places = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => (name === 'lower' ? 'model' : name)))].sort()

/** Signs that a language does not write so. A text in code, such as `{"tags": []}`, is kept apart by isolating signs. */
const MISWRITTEN: Readonly<Record<string, RegExp>> = {
  en: /["']|\.\.\.| [;:?!]/,
  de: /["'”]|\.\.\.| [;:?!]/,
  fr: /["']|\.\.\.| [;:?!»]|«[^\u202f]|[^\u202f][;!?»]|[^\u00a0\d]:/,
  es: /["'“”]|\.\.\.| [;:?!]|^[^¿]*\?|^[^¡]*!/,
  ar: /["'“”,;?]|\.\.\./,
}

describe('the texts of the page', () => {
  for (const [language, table] of Object.entries(TABLES)) {
    it(`are all there in ${language}, and none is empty`, () => {
      assert.deepEqual(Object.keys(table).sort(), Object.keys(ENGLISH).sort())
      for (const [key, text] of Object.entries(table)) assert.ok(text.trim() !== '', key)
    })

    it(`name each part of Operations differently in ${language}`, () => {
      const parts = Object.entries(table).filter(([key]) => key.startsWith('operations.'))
      assert.ok(parts.length > 6)
      assert.deepEqual([...new Set(parts.map(([, name]) => name))], parts.map(([, name]) => name))
      assert.equal(table['editor.trail'], table['operations.audit'])
    })

    it(`have the plural forms of ${language}, and its places`, () => {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const [key, text] of Object.entries(table)) {
        const english = ENGLISH[key as keyof AllTexts]
        const own = forms(text)
        // Whether a number changes the words around it is a matter of the language.
        if (own === undefined) {
          assert.deepEqual(places(text), places(forms(english)?.get('other') ?? english), key)
          continue
        }
        // Numbers of a million and more have a form of their own in French and Spanish, where "other" will do.
        const wanted = pluralCategories.filter((category) => category !== 'many' || language === 'ar')
        for (const category of wanted) assert.ok(own.has(category), `${key}: no form for ${category}`)
        // One, two and none can be said without the number.
        const known = new Set(places(english))
        for (const [category, form] of own) {
          for (const place of places(form)) assert.ok(known.has(place), `${key}, ${category}: {${place}} is unknown`)
        }
        assert.deepEqual(places(own.get('other') ?? ''), places(english), key)
      }
    })
  }

  for (const [language, table] of Object.entries(TABLES)) {
    it(`are written with the signs and spaces of ${language}`, () => {
      for (const [key, text] of Object.entries(table)) {
        const words = [...(forms(text)?.values() ?? [text])].join('\n').replaceAll('{"tags": []}', '')
        const found = MISWRITTEN[language]?.exec(words)
        assert.ok(!found, `${key}: ${words}`)
      }
    })
  }

  it('are each said somewhere', () => {
    const sources = globSync('**/*.ts', { cwd: ROOT, exclude: ['texts/??.ts', 'texts/admin-??.ts'] }).map(
      (path) => readFileSync(join(ROOT, path), 'utf8'),
    )
    const code = sources.join('\n')
    const isSaid = (key: string): boolean =>
      // Some are put together, as `field.${name}`.
      code.includes(`'${key}'`) || code.includes(`\`${key.slice(0, key.indexOf('.') + 1)}\${`)
    const unsaid = Object.keys(ENGLISH).filter((key) => !isSaid(key))
    assert.deepEqual(unsaid, [])
  })

  it('are in one table each', () => {
    assert.equal(Object.keys(ENGLISH).length, Object.keys(en).length + Object.keys(adminEn).length)
  })

  it('that name fields, values and models name what there is', () => {
    // A limit is named by the last part of its name, which is that of three fields.
    const declared = JSON.stringify(MODELS)
    const unknown = Object.keys(ENGLISH)
      .filter((key) => /^(?:about|field|value|model|models)\./.test(key))
      .filter((key) => !declared.includes(`${key.split('.').at(-1)}"`))
    assert.deepEqual(unknown, [])
  })
})
