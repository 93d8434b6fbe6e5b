/** The codes of failures, gathered from the replies of all operations: with their status, and a sample of their words. */
import type { ApiDocument, Reply } from './api-document.ts'
import { memberOf, textOf } from './loose-json.ts'

export interface ErrorCode {
  readonly code: string
  readonly status: string
  /** When it comes. */
  readonly about: string
  readonly sample: string
}

/** Each code once, by status. */
export function errorCodes({ operations }: Pick<ApiDocument, 'operations'>): readonly ErrorCode[] {
  const found = new Map<string, ErrorCode>()
  for (const { replies } of operations) {
    for (const reply of replies) {
      for (const one of codesOf(reply)) if (!found.has(one.code)) found.set(one.code, one)
    }
  }
  return [...found.values()].sort((a, b) => a.status.localeCompare(b.status))
}

/** The codes that every operation may answer with, such as that of a fault of ours: said once and not everywhere. */
export function commonCodes({ operations }: Pick<ApiDocument, 'operations'>): ReadonlySet<string> {
  const [first, ...others] = operations.map(({ replies }) => new Set(replies.flatMap(codesOf).map(({ code }) => code)))
  return others.reduce((common, codes) => common.intersection(codes), first ?? new Set<string>())
}

/** The codes that a reply may have; none where it is no failure. */
export function codesOf({ status, about, content }: Reply): readonly ErrorCode[] {
  return (content?.examples ?? []).flatMap(({ value }) => {
    const error = memberOf(value, 'error')
    const code = textOf(memberOf(error, 'code'))
    if (code === '') return []
    return [{ code, status, about: wordsFor(code, about), sample: textOf(memberOf(error, 'message')) }]
  })
}

/** Of `` `a`: When. `b`: When else `` the part of one code, or all where it is written otherwise. */
function wordsFor(code: string, about: string): string {
  const part = about.split(/\. (?=`\w+`: )/).find((one) => one.startsWith(`\`${code}\`: `))
  return part === undefined ? about : part.slice(code.length + 4)
}
