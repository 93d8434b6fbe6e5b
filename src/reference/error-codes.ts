/** The codes of failures, gathered from the responses of all operations. */
import { contentOf, type Operation, type ResponseObject } from './described-api.ts'

export interface ErrorCode {
  readonly code: string
  readonly status: string
  /** When it comes. */
  readonly about: string
  /** One of its messages. */
  readonly sample: string
}

export interface ErrorCodes {
  /** Each once, by status. */
  readonly all: readonly ErrorCode[]
  /** Those of every operation, such as that of an error in the server. */
  readonly common: ReadonlySet<string>
}

export function errorCodes(operations: readonly Operation[]): ErrorCodes {
  const lists = operations.map(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => codesOf(status, response)),
  )
  const byCode = new Map(lists.flat().map((one) => [one.code, one]))
  const common = lists.map((list) => new Set(list.map(({ code }) => code))).reduce((all, one) => all.intersection(one))
  return { all: [...byCode.values()].sort((a, b) => a.status.localeCompare(b.status)), common }
}

/** None where the response is a success. */
export function codesOf(status: string, { description, content }: ResponseObject): readonly ErrorCode[] {
  return Object.values(contentOf(content)?.examples ?? {}).flatMap(({ value }) => {
    const { error } = value as { readonly error?: { readonly code: string; readonly message: string } }
    if (error === undefined) return []
    return [{ code: error.code, status, about: aboutCode(error.code, description), sample: error.message }]
  })
}

/** Of `` `a`: When. `b`: When else `` the part of one code. */
function aboutCode(code: string, description: string): string {
  const part = description.split(/\. (?=`\w+`: )/).find((one) => one.startsWith(`\`${code}\`: `))
  return part === undefined ? description : part.slice(code.length + 4)
}
