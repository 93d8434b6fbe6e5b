/** `dateline match`: the service's filter and sort over JSON lines, to try them out and to script with. */
import { createInterface } from 'node:readline'
import { describe, fail } from '../../base/failure.ts'
import { isObject, JsonError, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { takeSpecialKeys } from '../../content/reads/special-keys.ts'
import { dateFields, type Model } from '../../models/schema.ts'
import { and, type Filter } from '../../query/ast.ts'
import { filterTest } from '../../query/match.ts'
import { comparePositions, parseSort, sortKeys, type Sort } from '../../query/order.ts'
import { parseFilter, parseFilterText } from '../../query/parse.ts'
import { unlimitedSteps } from '../../query/steps.ts'
import { readModelOption } from '../model-option.ts'
import { EXIT, readTyped, type Arguments, type Command, type Terminal } from '../command.ts'

const COMMON_DATES = new Set(['createdAt', 'updatedAt'])

export const matchCommand: Command = {
  name: 'match',
  summary: 'read JSON lines on stdin and print those that a filter matches, as the service would',
  options: [
    { flag: '--filter', value: 'JSON', meaning: 'the filter, as in a request' },
    { flag: '--sort', value: 'KEYS', meaning: 'the sort, as in a request; without it lines keep their order' },
    { flag: '--limit', value: 'N', meaning: 'print at most N lines' },
    { flag: '--model', value: 'NAME', meaning: 'read the filter as for this model, with its dates and search' },
  ],
  settings: [],
  examples: [`dateline match --filter '{"status":"active"}' --sort updatedAt:desc --limit 10 < headlines.ndjson`],
  async run(args, terminal) {
    const query = readQuery(args)
    try {
      await (query.sort === undefined ? printInOrder(query, terminal) : printSorted(query, query.sort, terminal))
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      terminal.stderr.write(`${error.message}\n`)
      return EXIT.failed
    }
  },
}

interface MatchQuery {
  readonly filter: Filter
  readonly sort: Sort | undefined
  readonly limit: number
}

class LineError extends Error {}

/** Throws UsageError with the service's own message where the service would reject. */
function readQuery({ options }: Arguments): MatchQuery {
  return readTyped(() => {
    const [filter, sort] = [options.get('--filter'), options.get('--sort')]
    const model = readModelOption(options.get('--model'))
    return {
      filter: readFilter(filter === undefined ? {} : parseFilterText(filter), model),
      sort: sort === undefined ? undefined : parseSort(sort),
      limit: readLimit(options.get('--limit')),
    }
  })
}

function readFilter(filter: Json, model: Model | undefined): Filter {
  if (model === undefined) return parseFilter(filter, { dateFields: COMMON_DATES })
  const { rest, conditions, uses } = takeSpecialKeys(model, filter)
  if (uses.length > 0) throw fail('badRequest', 'Cannot tell which countries are in use: only the service knows')
  return and(parseFilter(rest, { dateFields: dateFields(model.fields) }), ...conditions)
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return Infinity
  if (!/^\d{1,9}$/.test(text)) {
    throw fail('badRequest', `Cannot read limit ${describe(text)}: expected a whole number, 0 or more`)
  }
  return Number(text)
}

async function printInOrder({ filter, limit }: MatchQuery, terminal: Terminal): Promise<void> {
  const holds = filterTest(filter, unlimitedSteps())
  let left = limit
  for await (const { text, document } of documentLines(terminal)) {
    if (left === 0) return
    if (!holds(document)) continue
    terminal.stdout.write(`${text}\n`)
    left--
  }
}

async function printSorted({ filter, limit }: MatchQuery, sort: Sort, terminal: Terminal): Promise<void> {
  // An id of any type, or none: as one more key it is ordered like any value.
  const total: Sort = [...sort, { path: ['id'], descending: false }]
  const holds = filterTest(filter, unlimitedSteps())
  const found: { text: string; keys: readonly Json[]; id: string }[] = []
  for await (const { text, document } of documentLines(terminal)) {
    if (holds(document)) found.push({ text, keys: sortKeys(document, total), id: '' })
  }
  found.sort((a, b) => comparePositions(total, a, b))
  for (const { text } of found.slice(0, limit)) terminal.stdout.write(`${text}\n`)
}

async function* documentLines({ stdin }: Terminal): AsyncGenerator<{ text: string; document: JsonObject }> {
  let number = 0
  for await (const line of createInterface({ input: stdin, crlfDelay: Infinity })) {
    number++
    const text = line.trim()
    if (text !== '') yield { text, document: readLine(text, number) }
  }
}

function readLine(text: string, number: number): JsonObject {
  try {
    const document = parseJson(text)
    if (isObject(document)) return document
    throw new LineError(`Cannot read line ${number}: expected a JSON object, found ${describe(document)}`)
  } catch (error) {
    if (error instanceof JsonError) throw new LineError(`Cannot read line ${number}: ${error.message}`)
    throw error
  }
}
