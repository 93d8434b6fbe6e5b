/** The tables of texts: complete, in the same form in every language, and each text is used. */
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CONCERN_CODES } from '../../src/base/concern.ts'
import { LANGUAGES } from '../../src/dashboard/texts.ts'

const ROOT = join(import.meta.dirname, '../../src/dashboard')
type Text = string | Readonly<Record<string, string>>
type Table = Readonly<Record<string, Text>>
const TEXTS = join(ROOT, '../../data/texts')
/** The tables of the page, and those of each folder. */
const KINDS = ['', ...readdirSync(TEXTS, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []))]
const fileOf = (kind: string, language: string): string => readFileSync(join(TEXTS, kind, `${language}.json`), 'utf8')
const tableOf = (kind: string, language: string): Table => JSON.parse(fileOf(kind, language)) as Table
const TABLES = KINDS.flatMap((kind) => Object.keys(LANGUAGES).map((language) => ({ kind, language, table: tableOf(kind, language), english: tableOf(kind, 'en') })))
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
  for (const { kind, language, table, english } of TABLES) {
    const named = kind === '' ? language : `${language} (${kind})`
    it(`are all there in ${named}, each once, and none is empty`, () => {
      // A table with a key twice reads as if the first were not there.
      const written = fileOf(kind, language).match(/^  "(?:[^"\\]|\\.)*":/gm) ?? []
      assert.deepEqual(written.length, new Set(written).size)
      assert.equal(written.length, Object.keys(table).length)
      assert.deepEqual(Object.keys(table).sort(), Object.keys(english).sort())
      for (const [key, text] of Object.entries(table)) {
        for (const form of formsOf(text)) assert.ok(form.trim() !== '', key)
      }
    })

    it(`have the plural forms of ${named}, and its places`, () => {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const [key, text] of Object.entries(table)) {
        const wantedText = mainForm(english[key] ?? '')
        // Whether a number changes the words around it is a matter of the language.
        assert.deepEqual(places(mainForm(text)), places(wantedText), key)
        if (typeof text === 'string') continue
        // Numbers of a million and more have a form of their own in French and Spanish, where "other" will do.
        const wanted = pluralCategories.filter((category) => category !== 'many' || language === 'ar')
        for (const category of wanted) assert.ok(Object.hasOwn(text, category), `${key}: no form for ${category}`)
        // One, two and none can be said without the number.
        const known = new Set(places(wantedText))
        for (const [category, form] of Object.entries(text)) {
          assert.ok(pluralCategories.some((one) => one === category), `${key}: ${category} is no plural category`)
          for (const place of places(form)) assert.ok(known.has(place), `${key}, ${category}: {${place}} is unknown`)
        }
      }
    })
  }

  for (const { kind, language, table } of TABLES) {
    it(`are written with the signs and spaces of ${language}${kind && `, ${kind}`}`, () => {
      for (const [key, text] of Object.entries(table)) {
        const words = formsOf(text).join('\n').replaceAll('{"tags": []}', '')
        const found = MISWRITTEN[language]?.exec(words)
        assert.ok(!found, `${key}: ${words}`)
      }
    })
  }

  it('are each said somewhere', () => {
    const sources = globSync(['**/*.{ts,html}', '../reference/*.ts'], { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
    const code = sources.join('\n')
    const isSaid = (key: string): boolean =>
      // Some are put together, as `field.${name}`.
      code.includes(`'${key}'`) || code.includes(`="${key}"`) || code.includes(`\`${key.slice(0, key.indexOf('.') + 1)}\${`)
    const unsaid = KINDS.flatMap((kind) => Object.keys(tableOf(kind, 'en')).filter((key) => !isSaid(key)))
    assert.deepEqual(unsaid, [])
  })

  it('have a sentence for each code of what needs attention, and for no other', () => {
    assert.deepEqual(Object.keys(tableOf('concerns', 'en')), CONCERN_CODES.map((code) => `concern.${code}`))
  })
})
