/**
 * What no document may hold at any depth. Names: `__proto__` would change objects of careless readers, `$` starts
 * operators of filters, a dot separates the steps of their paths, NUL ends texts in C. Half of a surrogate pair is no
 * Unicode text (RFC 8259 section 8.2) and would not survive storage. And nothing deeper than a parser takes.
 */
import { describe, shortText } from '../../base/failure.ts'
import { isObject, JSON_DEPTH_MAX, type Json, type JsonObject } from '../../base/json.ts'
import { problemAt, TOO_DEEP, type Report } from './problems.ts'

/** Reports everything in a body that cannot be stored. */
export function checkStorable(body: JsonObject, report: Report): void {
  // Nearly every body is fine, and a long one is checked several times faster without the path of each member.
  if (!isStorable(body, 1)) reportUnstorable(body, { path: '', level: 1, report })
}

function isStorable(value: Json, level: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (Array.isArray(value)) {
    if (level > JSON_DEPTH_MAX) return false
    for (const item of value as readonly Json[]) if (!isStorable(item, level + 1)) return false
    return true
  }
  if (!isObject(value)) return true
  if (level > JSON_DEPTH_MAX) return false
  for (const name in value) if (!isName(name) || !isStorable(value[name] as Json, level + 1)) return false
  return true
}

function isName(name: string): boolean {
  return !RESERVED_NAME.test(name) && name.isWellFormed()
}

const RESERVED_NAME = /^(?:\$|__proto__$)|[.\0]/

interface StorableCheck {
  readonly path: string
  readonly level: number
  readonly report: Report
}

function reportUnstorable(value: Json, { path, level, report }: StorableCheck): void {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return
    report(problemAt(path, 'notUnicode', 'expected Unicode text, found half a surrogate pair'))
    return
  }
  const isArray = Array.isArray(value)
  if (!isArray && !isObject(value)) return
  if (level > JSON_DEPTH_MAX) {
    report(TOO_DEEP)
    return
  }
  if (isArray) {
    value.forEach((item: Json, i) => reportUnstorable(item, { path: `${path}[${i}]`, level: level + 1, report }))
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (!isName(name)) {
      const rule = 'names must not be __proto__, start with $ or contain a dot or NUL'
      const message = `cannot store a member named ${describe(name)}: ${rule}`
      report(problemAt(path, 'reservedName', message, { name: shortText(name) }))
    }
    reportUnstorable(member, { path: path === '' ? name : `${path}.${name}`, level: level + 1, report })
  }
}
