/** Whether two JSON values say the same, whatever the order of members. A number equals one that is written otherwise. */
import { compareNumbers } from './decimal.ts'
import { isNumber, isObject, type Json } from './json.ts'

export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, i) => isSameJson(item, b[i] as Json))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name] as Json, b[name] as Json))
}
