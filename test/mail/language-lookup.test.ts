import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lookUpLanguage } from '../../src/mail/templates/template-language.ts'

describe('lookUpLanguage()', () => {
  const available = ['en', 'de', 'fr', 'pt-BR', 'zh-Hant', 'ar']
  const rows: ReadonlyArray<readonly [string, readonly string[], string | undefined]> = [
    ['takes the tag itself', ['fr'], 'fr'],
    ['drops subtags from the end', ['de-AT'], 'de'],
    ['drops as many as it takes', ['zh-Hant-TW-x-private-use'], 'zh-Hant'],
    ['drops a single letter with what it introduces', ['de-a-foo'], 'de'],
    ['goes on to the next range', ['zh', 'fr'], 'fr'],
    ['takes the first available range, however general', ['de-AT', 'fr'], 'de'],
    ['ignores case', ['PT-br'], 'pt-BR'],
    ['does not choose a region for a language without one', ['pt'], undefined],
    ['does not take the beginning of a subtag', ['end', 'e', 'den-DE'], undefined],
    ['skips the wildcard and invalid tags', ['*', '', '-', '--', 'de_AT', 'ar'], 'ar'],
    ['finds nothing for no range', [], undefined],
    ['reads a tag of 35 characters', [`de-${'a'.repeat(32)}`], 'de'],
    ['skips a tag of 36 characters', [`de-${'a'.repeat(33)}`], undefined],
    ['reads twenty ranges', [...Array<string>(19).fill('xx'), 'de'], 'de'],
    ['reads no more than twenty', [...Array<string>(20).fill('xx'), 'de'], undefined],
  ]
  for (const [name, ranges, expected] of rows) {
    it(name, () => assert.equal(lookUpLanguage(ranges, available), expected))
  }
})
