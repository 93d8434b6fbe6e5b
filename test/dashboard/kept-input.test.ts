// isolated: it stands in for what a browser has once
/** What is typed is kept in the storage of the browser; here, a storage of the same interface. */
import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { storedToken, storeToken } from '../../src/dashboard/browser-storage.ts'
import { parseExactly } from '../../src/dashboard/exact-json.ts'
import { forgetInputs, inputKey, keepInputs, keptInputs, type KeptInput } from '../../src/dashboard/kept-input.ts'

class MemoryStorage {
  getItem = (name: string): string | null => (Object.hasOwn(this, name) ? String((this as Record<string, unknown>)[name]) : null)
  setItem(name: string, text: string): void {
    Object.assign(this, { [name]: text })
  }
  removeItem(name: string): void {
    delete (this as Record<string, unknown>)[name]
  }
}

const inputOf = (text: string): KeptInput => ({ at: Date.now(), members: parseExactly(text) as KeptInput['members'], base: {} })
const openPageAt = (url: string): void => void Object.assign(globalThis, { document: { baseURI: url } })

beforeEach(() => {
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, { value: new MemoryStorage(), configurable: true })
  }
  openPageAt('https://news.example/')
})

it('a number that no double holds comes back as it was typed', () => {
  const key = inputKey('ana', 'headline', 'h')
  keepInputs(key, [inputOf('{"priority":12345678901234567890}')])
  assert.equal(JSON.stringify(keptInputs(key)[0]?.members), '{"priority":12345678901234567890}')
})

it('an entry that cannot be read is passed over, and what is typed then is kept', () => {
  for (const text of ['{', 'null', '[{"at":"now"}]', '[1]']) localStorage.setItem(inputKey('ana', 'topic', text), text)
  const key = inputKey('ana', 'headline', 'h')
  keepInputs(key, [inputOf('{"title":"A"}')])
  assert.deepEqual(keptInputs(key)[0]?.members, { title: 'A' })
  assert.deepEqual(keptInputs(inputKey('ana', 'topic', '{')), [])
})

it('services below two paths of one host share neither a session nor what is typed', () => {
  openPageAt('https://news.example/one/')
  storeToken('token of one', 'browser')
  keepInputs(inputKey('ana', 'headline', 'h'), [inputOf('{"title":"One"}')])
  openPageAt('https://news.example/two/')
  assert.equal(storedToken(), undefined)
  storeToken('token of two', 'browser')
  assert.deepEqual(keptInputs(inputKey('ana', 'headline', 'h')), [])
  forgetInputs()
  openPageAt('https://news.example/one/')
  assert.equal(storedToken(), 'token of one')
  assert.equal(keptInputs(inputKey('ana', 'headline', 'h')).length, 1)
})
