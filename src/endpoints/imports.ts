/** Importing documents from a file, piece by piece, for administrators. */
import { SEPARATORS, type Separator } from '../base/csv.ts'
import { describe, fail } from '../base/failure.ts'
import { isNumber, type Json, type JsonObject } from '../base/json.ts'
import { importPiece, PIECE_BYTES_MAX, PIECE_ROWS_MAX, previewPiece, type ImportPiece } from '../content/transfer/import-pieces.ts'
import { isRepeatable } from '../content/repeatable.ts'
import type { Exchange } from '../http/exchange.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import { importedPiece, importPreview } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { repeatKeyOf } from './data-requests.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const FORMATS = ['csv', 'ndjson'] as const
/** Users come with accounts, and their addresses are those of people: the command imports them. */
const IMPORTED = MODELS.filter((model: Model) => model.computed === undefined && model !== user).map(({ name }) => name)
const COLUMNS_MAX = 500

const FILE = {
  model: { type: 'string', enum: IMPORTED, description: 'The model of all rows' },
  format: { type: 'string', enum: FORMATS, description: 'JSON lines, or CSV as in RFC 4180' },
} as const

const PREVIEW_BODY: NamedSchema = {
  kind: 'schema',
  name: 'PreviewImport',
  schema: {
    type: 'object',
    properties: { ...FILE, rows: { type: 'string', description: 'The beginning of the file', examples: ['Name,Icon URL\r\nSpace,https://images.example/space.png\r\n'] } },
    required: ['model', 'format', 'rows'],
    additionalProperties: false,
  },
}

const BODY: NamedSchema = {
  kind: 'schema',
  name: 'ImportPiece',
  schema: {
    type: 'object',
    properties: {
      ...FILE,
      rows: {
        type: 'string',
        description: `The rows, at most ${PIECE_BYTES_MAX} bytes in UTF-8. At most ${PIECE_ROWS_MAX} of them are taken, and one that is not complete is left, unless it is the last`,
        examples: ['name,description,iconUrl,status\r\nSpace,Telescopes,https://images.example/space.png,draft\r\n'],
      },
      columns: {
        type: 'array',
        items: { type: 'string' },
        maxItems: COLUMNS_MAX,
        description: 'Of CSV: the column that each cell of a row is for; an empty text skips the cell',
        examples: [['name', 'description', 'iconUrl', 'status']],
      },
      separator: {
        type: 'string',
        enum: [...SEPARATORS],
        description: 'Of CSV: what stands between two cells. Without it, what separates the names in the first row, and a comma where there is none',
      },
      hasHeader: { type: 'boolean', description: 'Whether the first row of CSV names the columns. Without `columns` they are taken by these names; CSV needs one of the two' },
      isLast: { type: 'boolean', description: 'Whether the file ends with these rows; true without it' },
      line: { type: 'integer', minimum: 1, description: 'On which line of the file they begin; 1 without it' },
      keep: { type: 'boolean', description: 'Whether `createdAt` and `updatedAt` of the rows are kept' },
      incomplete: {
        type: 'boolean',
        description:
          'Whether drafts may lack required members: a row of status `draft` that does makes an incomplete draft, or replaces one, ' +
          'and so does a new row without a status',
      },
      asDrafts: {
        type: 'boolean',
        description: 'Whether new documents become drafts, whatever their rows say, also where they lack required members. Documents that are replaced keep their status',
      },
      dryRun: { type: 'boolean', description: 'Whether the rows are only checked; rows of different pieces do not see each other then' },
    },
    required: ['model', 'format', 'rows'],
    additionalProperties: false,
  },
}

const endpoint = endpointOn<Service>('Administration')

export const IMPORTS = [
  endpoint({
    route: 'POST /api/v1/admin/import/preview',
    id: 'previewImport',
    access: 'administrator',
    summary: 'See the first rows of a file, and which columns its own stand for',
    body: PREVIEW_BODY,
    response: importPreview,
    errors: ['invalidInput'],
    client: 'admin.previewImport',
  }).handle(async (_, exchange) => {
    const body = await readBody(exchange, PREVIEW_BODY)
    const { columns, separator, header, rows } = previewPiece(readFile(body))
    return { columns: [...columns], separator, header: [...header], rows: rows.map((row) => [...row]) }
  }),
  endpoint({
    route: 'POST /api/v1/admin/import',
    id: 'importRows',
    access: 'administrator',
    summary: 'Import rows of a file: insert documents, or replace those with the same id',
    description:
      'For a file in pieces: send the next one from `bytes` behind the start of this one, with `nextLine` as its `line`. Each row is ' +
      'checked like the document of a request; one that cannot be taken is in `rejected`, and the others are stored. After ' +
      '`stopped` the rest of the file cannot be read. With `dryRun`, `sameAddress` names the new rows whose address is stored already, or is that of an earlier row of the piece; ' +
      'they are taken all the same. If the service fails after it has stored some rows, `failed` says why; the counts, ' +
      '`bytes` and `nextLine` are those of the stored rows. A failure before that is an error. With `Idempotency-Key`, the same piece ' +
      'again within 24 hours goes on where it has come, whatever became of the first response, and no row comes twice. Users ' +
      'are imported by the command `import`.',
    parameters: ['idempotencyKey'],
    body: BODY,
    response: importedPiece,
    errors: ['badRequest', 'invalidInput', 'payloadTooLarge', 'conflict', 'idempotencyKeyReused'],
    client: 'admin.importRows',
  }).handle(async ({ store, now, content: { repeats } }, exchange, by) => {
    const body = await readBody(exchange, BODY)
    const piece = readPiece(body)
    const repeat = piece.isDryRun ? undefined : repeatKeyOf(exchange)
    if (repeat !== undefined && !isRepeatable(piece.model)) {
      throw fail('badRequest', `Cannot take an Idempotency-Key: expected an import of content, found ${piece.model.name}`)
    }
    const sent = { caller: by.caller, body }
    const result = await (repeat === undefined
      ? importPiece({ store, now }, piece, by)
      : repeats.inParts(repeat, sent, (progress, keep) => importPiece({ store, now }, piece, by, { progress, keep })))
    const rejected = result.rejected.map(({ line, id, message }) => ({ line, id: id ?? null, message }))
    const { sameAddress, stopped = null, failed = null } = result
    return { ...result, columns: [...result.columns], rejected, sameAddress: [...sameAddress], stopped, failed }
  }),
]

async function readBody(exchange: Exchange, { schema }: NamedSchema): Promise<JsonObject> {
  const body = await exchange.readJson()
  const known = Object.keys(schema['properties'] ?? {})
  // A dry run under a mistyped name would be none.
  const other = Object.keys(body).find((name) => !known.includes(name))
  if (other !== undefined) throw fail('invalidInput', `Cannot import with ${describe(other)}: expected ${known.join(', ')}`)
  return body
}

function readFile({ model: name, format, rows }: JsonObject): Pick<ImportPiece, 'model' | 'format' | 'rows'> {
  const model = typeof name === 'string' && IMPORTED.includes(name as (typeof IMPORTED)[number]) ? modelNamed(name) : undefined
  if (model === undefined) throw wrong('model', `one of ${IMPORTED.join(', ')}`, name)
  const known = FORMATS.find((one) => one === format)
  if (known === undefined) throw wrong('format', `one of ${FORMATS.join(', ')}`, format)
  if (typeof rows !== 'string') throw wrong('rows', 'a string', rows)
  if (!rows.isWellFormed()) throw fail('invalidInput', 'rows: expected characters of Unicode, found half of a surrogate pair')
  if (Buffer.byteLength(rows) > PIECE_BYTES_MAX) throw fail('payloadTooLarge', `rows: expected at most ${PIECE_BYTES_MAX} bytes, found more: send them in pieces`)
  return { model, format: known, rows }
}

function readPiece(body: JsonObject): ImportPiece {
  const { line } = body
  const [file, columns, hasHeader] = [readFile(body), readColumns(body['columns']), readFlag(body, 'hasHeader', false)]
  if (file.format === 'csv' && columns === undefined && !hasHeader) {
    throw fail('invalidInput', 'Cannot import CSV without columns: send hasHeader as true where the first row names them, or send columns')
  }
  return {
    ...{ ...file, columns, hasHeader, separator: readSeparator(body['separator']) },
    isLast: readFlag(body, 'isLast', true),
    line: readLine(line),
    keep: readFlag(body, 'keep', false),
    incomplete: readFlag(body, 'incomplete', false),
    asDrafts: readFlag(body, 'asDrafts', false),
    isDryRun: readFlag(body, 'dryRun', false),
  }
}

function readColumns(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length <= COLUMNS_MAX && value.every((name) => typeof name === 'string')) return value as string[]
  throw wrong('columns', `an array of at most ${COLUMNS_MAX} strings`, value)
}

function readSeparator(value: Json | undefined): Separator | undefined {
  const known = SEPARATORS.find((one) => one === value)
  if (known !== undefined || value === undefined) return known
  throw wrong('separator', 'a comma, a semicolon or a tab', value)
}

function readFlag(body: JsonObject, name: string, otherwise: boolean): boolean {
  const value = body[name]
  if (value === undefined || typeof value === 'boolean') return value ?? otherwise
  throw wrong(name, 'true or false', value)
}

function readLine(value: Json | undefined): number {
  const line = value === undefined ? 1 : isNumber(value) ? Number(value) : 0
  if (Number.isSafeInteger(line) && line > 0) return line
  throw wrong('line', 'a whole number, 1 or more', value)
}

function wrong(name: string, wanted: string, found: Json | undefined): Error {
  return fail('invalidInput', `${name}: expected ${wanted}, found ${describe(found)}`)
}
