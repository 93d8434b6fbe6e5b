/** The tables of texts: complete, in the same form in every language, and each text is used. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { LANGUAGES, type TextKey } from '../../src/dashboard/texts.ts'

const ROOT = join(import.meta.dirname, '../../src/dashboard')
type Text = string | Readonly<Record<string, string>>
type Table = Readonly<Record<TextKey, Text>>
const pageTexts = (await LANGUAGES.en.load()).default
const screenTexts = (await LANGUAGES.en.loadScreens()).default
const reviewTexts = (await LANGUAGES.en.loadReview()).default
const firstRunTexts = (await LANGUAGES.en.loadFirstRun()).default
const ENGLISH: Table = { ...pageTexts, ...screenTexts, ...reviewTexts, ...firstRunTexts }
const TABLES: Readonly<Record<string, Table>> = Object.fromEntries(
  await Promise.all(
    Object.entries(LANGUAGES).map(async ([code, { load, loadScreens, loadReview, loadFirstRun }]) => {
      const tables = await Promise.all([load(), loadScreens(), loadReview(), loadFirstRun()])
      return [code, Object.assign({}, ...tables.map((one) => one.default)) as Table] as const
    }),
  ),
)
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
    it(`are all there in ${language}, and none is empty`, () => {
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

  it('are in one table each', () => {
    assert.equal(Object.keys(ENGLISH).length, [pageTexts, screenTexts, reviewTexts, firstRunTexts].flatMap((table) => Object.keys(table)).length)
  })

  it('of parts that are fetched without the tables of screens are in the table of the page', () => {
    const code = (path: string): string => readFileSync(path, 'utf8')
    const seen = new Set<string>()
    const follow = (path: string): void => {
      if (seen.has(path) || !path.startsWith(ROOT)) return
      seen.add(path)
      const imports = [
        ...code(path).matchAll(/^(?:import|export) (?!type )[^']*? from '(\.[^']+\.ts)'/gm),
        // The palette and its help are opened with the texts of screens.
        ...code(path).matchAll(/(?<!with\w+Texts\(\s*|\bopen\()import\('(\.[^']+\.ts)'\)/g),
      ]
      for (const [, to = ''] of imports) follow(join(dirname(path), to))
    }
    follow(join(ROOT, 'page.ts'))
    assert.ok([...seen].some((path) => path.endsWith('filter-chips.ts')), 'what the list fetches is followed')
    const others = Object.keys({ ...screenTexts, ...reviewTexts, ...firstRunTexts })
    const missing = [...seen].flatMap((path) => others.filter((key) => code(path).includes(`'${key}'`)).map((key) => `${basename(path)}: ${key}`))
    assert.deepEqual(missing, [])
  })
})
