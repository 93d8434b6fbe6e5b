// isolated: it stands in for what a browser has once
/** Choosing a language, and another one while its texts are still loading. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addTexts, currentLanguage, LANGUAGES, t, textOr, useLanguage, type Tables } from '../../src/dashboard/texts.ts'

Object.assign(globalThis, { document: { documentElement: {} } })

it('a language that was chosen is that of the page once its texts are there', async () => {
  await useLanguage('de')
  assert.equal(currentLanguage(), 'de')
  assert.equal(t('history.title'), (await LANGUAGES.de.load()).default['history.title'])
})

it('of two languages that are chosen one right after the other, the second one stays', async () => {
  const both = [useLanguage('ar'), useLanguage('fr')]
  assert.deepEqual(await Promise.all(both), [false, true])
  assert.equal(currentLanguage(), 'fr')
})

const tables = (load: (code: string) => Promise<{ readonly default: Record<string, string> }>): Tables => {
  const entries = Object.keys(LANGUAGES).map((code) => [code, () => load(code)] as const)
  return Object.fromEntries(entries) as unknown as Tables
}

it('texts that a screen adds are in the language of the page, and in the one that is chosen next, beside the others', async () => {
  await useLanguage('es')
  const both = [addTexts(tables(async (code) => ({ default: { added: `in ${code}` } }))), useLanguage('de')]
  await Promise.all(both)
  assert.deepEqual([currentLanguage(), textOr('added', 'missing')], ['de', 'in de'])
  assert.equal(t('history.title'), (await LANGUAGES.de.load()).default['history.title'])
  await useLanguage('ar')
  assert.equal(textOr('added', 'missing'), 'in ar')
})

it('texts that cannot be fetched keep no reader from another language', async () => {
  await assert.rejects(addTexts(tables(async (code) => { throw new Error(`no ${code}`) })), /no ar/)
  assert.equal(await useLanguage('fr'), true)
  assert.equal(currentLanguage(), 'fr')
})
