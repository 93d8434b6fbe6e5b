// isolated: it stands in for what a browser has once
/** Choosing a language, and another one while its texts are still loading. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { currentLanguage, LANGUAGES, t, useLanguage } from '../../src/dashboard/texts.ts'

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
