/** The tables of texts: complete, in the same form in every language, and each text is used. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { LANGUAGES, type TextKey } from '../../src/dashboard/texts.ts'

const ROOT = join(import.meta.dirname, '../../src/dashboard')
type Text = string | Readonly<Record<string, string>>
type Table = Readonly<Record<TextKey, Text>>
const TABLES: Readonly<Record<string, Table>> = Object.fromEntries(
  await Promise.all(Object.entries(LANGUAGES).map(async ([code, { load }]) => [code, (await load()).default as Table] as const)),
)
const ENGLISH = TABLES['en'] as Table
const formsOf = (text: Text): readonly string[] => (typeof text === 'string' ? [text] : Object.values(text))
/** The form that has every placeholder. */
const mainForm = (text: Text): string => (typeof text === 'string' ? text : (text['other'] ?? ''))

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
    it(`are all there in ${language}, each once, and none is empty`, () => {
      // A table with a key twice reads as if the first were not there.
      const written = readFileSync(join(ROOT, `../../data/texts/${language}.json`), 'utf8').match(/^  "(?:[^"\\]|\\.)*":/gm) ?? []
      assert.deepEqual(written.length, new Set(written).size)
      assert.equal(written.length, Object.keys(table).length)
      assert.deepEqual(Object.keys(table).sort(), Object.keys(ENGLISH).sort())
      for (const [key, text] of Object.entries(table)) {
        for (const form of formsOf(text)) assert.ok(form.trim() !== '', key)
      }
    })

    it(`have the plural forms of ${language}, and its places`, () => {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const [key, text] of Object.entries(table)) {
        const english = mainForm(ENGLISH[key as TextKey])
        // Whether a number changes the words around it is a matter of the language.
        assert.deepEqual(places(mainForm(text)), places(english), key)
        if (typeof text === 'string') continue
        // Numbers of a million and more have a form of their own in French and Spanish, where "other" will do.
        const wanted = pluralCategories.filter((category) => category !== 'many' || language === 'ar')
        for (const category of wanted) assert.ok(Object.hasOwn(text, category), `${key}: no form for ${category}`)
        // One, two and none can be said without the number.
        const known = new Set(places(english))
        for (const [category, form] of Object.entries(text)) {
          assert.ok(pluralCategories.some((one) => one === category), `${key}: ${category} is no plural category`)
          for (const place of places(form)) assert.ok(known.has(place), `${key}, ${category}: {${place}} is unknown`)
        }
      }
    })
  }

  for (const [language, table] of Object.entries(TABLES)) {
    it(`are written with the signs and spaces of ${language}`, () => {
      for (const [key, text] of Object.entries(table)) {
        const words = formsOf(text).join('\n').replaceAll('{"tags": []}', '')
        const found = MISWRITTEN[language]?.exec(words)
        assert.ok(!found, `${key}: ${words}`)
      }
    })
  }

  it('are each said somewhere', () => {
    const sources = globSync('**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
    const code = sources.join('\n')
    const isSaid = (key: string): boolean =>
      // Some are put together, as `field.${name}`.
      code.includes(`'${key}'`) || code.includes(`\`${key.slice(0, key.indexOf('.') + 1)}\${`)
    const unsaid = Object.keys(ENGLISH).filter((key) => !isSaid(key))
    assert.deepEqual(unsaid, [])
  })
})
