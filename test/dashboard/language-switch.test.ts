// isolated: it stands in for what a browser has once
/** Choosing a language while something of the page is still loading. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { currentLanguage, LANGUAGES, t, useLanguage, withScreenTexts } from '../../src/dashboard/texts.ts'

Object.assign(globalThis, { document: { documentElement: {} } })
const english = (await LANGUAGES.en.loadScreens()).default
const german = (await LANGUAGES.de.loadScreens()).default
const KEY = 'history.title'

it('a screen that was loading when the reader chose German opens in German', async () => {
  assert.notEqual(english[KEY], german[KEY])
  await useLanguage('en')
  const { promise, resolve } = Promise.withResolvers<string>()
  const opening = withScreenTexts(promise)
  await useLanguage('de')
  resolve('the screen')
  assert.equal(await opening, 'the screen')
  assert.equal(t(KEY), german[KEY])
})

it('of two languages that are chosen one right after the other, the second one stays', async () => {
  const both = [useLanguage('ar'), useLanguage('fr')]
  assert.deepEqual(await Promise.all(both), [false, true])
  assert.equal(currentLanguage(), 'fr')
})
