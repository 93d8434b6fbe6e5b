/**
 * The filter of a rule as a person makes it: one member of an item that has a text in it, or is one. Any other filter stays
 * JSON, as it was written.
 */
import { isMembers } from '../../any-documents.ts'

export const ITEM_MEMBERS = ['title', 'excerpt', 'url', 'categories', 'author', 'language'] as const
type ItemMember = (typeof ITEM_MEMBERS)[number]

export type RuleCondition =
  | { readonly kind: 'all' }
  | { readonly kind: 'contains' | 'is'; readonly member: ItemMember; readonly text: string }
  | { readonly kind: 'filter'; readonly json: string }

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g
/** A pattern without anything but letters that stand for themselves, some after a backslash. */
const PLAIN = /^(?:[^\\^$.*+?()[\]{}|/]|\\[\\^$.*+?()[\]{}|/])*$/

/** The text of the filter, which finds nothing where nothing is typed yet. */
export function filterOf(condition: RuleCondition): string {
  switch (condition.kind) {
    case 'all':
      return '{}'
    case 'is':
      return JSON.stringify({ [condition.member]: condition.text })
    case 'contains':
      return JSON.stringify({ [condition.member]: { $regex: condition.text.replaceAll(SPECIAL, String.raw`\$&`), $options: 'i' } })
    case 'filter':
      return condition.json
  }
}

export function conditionOf(filter: string): RuleCondition {
  return simpleCondition(filter) ?? { kind: 'filter', json: filter }
}

function simpleCondition(filter: string): RuleCondition | undefined {
  const parsed = parsedJson(filter)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const [entry, ...more] = Object.entries(parsed)
  if (entry === undefined) return { kind: 'all' }
  const [name, value] = entry as [string, unknown]
  const member = ITEM_MEMBERS.find((one) => one === name)
  if (member === undefined || more.length > 0) return undefined
  if (typeof value === 'string') return { kind: 'is', member, text: value }
  if (!isMembers(value as never)) return undefined
  const { $regex: pattern, $options: options, ...others } = value as Readonly<Record<string, unknown>>
  if (typeof pattern !== 'string' || options !== 'i' || Object.keys(others).length > 0 || !PLAIN.test(pattern)) return undefined
  return { kind: 'contains', member, text: pattern.replaceAll(/\\(.)/g, '$1') }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
