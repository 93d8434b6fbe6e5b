/** The paths at which two versions of a document differ, with both values. */
import { isObject, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import type { AuditRecord } from '../../models/audit.ts'

/** Counting stops here: a record of more paths is cut anyway. */
const PATHS_MAX = 200

/** Values as JSON; an empty text where there is none. A list counts as one value. */
export function changedPaths(before: JsonObject, after: JsonObject, except: readonly string[]): AuditRecord['changes'] {
  const found: AuditRecord['changes'][number][] = []
  const compare = (path: string, from: Json | undefined, to: Json | undefined): void => {
    if (found.length >= PATHS_MAX) return
    if (isObject(from) && isObject(to)) {
      for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
        compare(path === '' ? name : `${path}.${name}`, member(from, name), member(to, name))
      }
      return
    }
    const [left, right] = [jsonOf(from), jsonOf(to)]
    if (left !== right && !except.includes(path)) found.push({ path, from: left, to: right })
  }
  compare('', before, after)
  return found
}

/** Inherited names such as `constructor` are no members. */
function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function jsonOf(value: Json | undefined): string {
  return value === undefined ? '' : writeJson(value)
}
