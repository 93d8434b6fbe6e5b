/** The filter of a rule, as the form has it and as it is stored. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { conditionOf, filterOf, ITEM_MEMBERS, type RuleCondition } from '../../src/dashboard/screens/feeds/rule-filter.ts'

it('a condition and its filter are one', () => {
  const texts = ['', 'Ferry', 'a.b*c', String.raw`\d+ (x) [y] {z} ^$|?/`, '<b>"', 'اقتصاد', '🚢']
  const conditions: RuleCondition[] = [{ kind: 'all' }, ...ITEM_MEMBERS.flatMap((member) => texts.flatMap((text) => (['contains', 'is'] as const).map((kind): RuleCondition => ({ kind, member, text }))))]
  for (const condition of conditions) assert.deepEqual(conditionOf(filterOf(condition)), condition)
})

it('any other filter stays as it was written', () => {
  for (const json of [
    ...['', '{', 'null', '7', '[]', '"x"', '{"titel":"x"}', '{"title":"a","url":"b"}', '{"title":7}', '{"title":["x"]}', '{"__proto__":"x"}'],
    ...['{"title":{"$regex":"a.b","$options":"i"}}', '{"title":{"$regex":"a"}}', '{"title":{"$regex":"a","$options":"im"}}', '{"title":{"$regex":7,"$options":"i"}}', '{"title":{"$ne":"a"}}'],
    ...['{"title":{"$regex":"\\\\d","$options":"i"}}', '{"$or":[{"title":"a"}]}', '{ "title": {"$in": ["a"]} }'],
  ]) {
    assert.deepEqual(conditionOf(json), { kind: 'filter', json }, json)
    assert.equal(filterOf(conditionOf(json)), json)
  }
})
