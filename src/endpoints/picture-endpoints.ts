/** Pictures of our own: sent by publishers and administrators, served to everybody by app/picture-route.ts. */
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import { isNumber, isObject, type Json } from '../base/json.ts'
import { noPicture, picturePath } from '../content/kept-pictures.ts'
import { requireAdministrator, requireEditor } from '../content/rules/access.ts'
import type { Exchange } from '../http/exchange.ts'
import { PICTURE_FORMATS } from '../media/picture-format.ts'
import { PICTURE_BYTES_MAX } from '../media/read-picture.ts'
import { publicName } from '../models/incomplete.ts'
import { picture, picturePage, pictureUsage, type Picture } from '../models/responses.ts'
import { SEARCH_CHARS_MAX, soughtWords } from '../query/words.ts'
import type { CountedPicture, PicturePlace } from '../store/media/picture-table.ts'
import { UPLOADS_MAX, UPLOADS_PER_USER_MAX } from './download-slots.ts'
import { endpointOn, SHORT_BODY, type NamedSchema } from './endpoint.ts'
import { readNewest } from './parameters.ts'
import type { Service } from './service-parts.ts'
import { siteBaseOf } from './site-base.ts'

const ALT_CHARS_MAX = 1_000
const USERS_MAX = 100
const FOCUS_MAX = 100
const CURSOR = /^(\d{1,15})-([0-9a-f]{64})$/
const EDITORS = 'publishers and administrators'

const DESCRIPTION_BODY: NamedSchema = {
  kind: 'schema',
  name: 'DescribePicture',
  schema: {
    type: 'object',
    properties: {
      alt: { type: 'string', maxLength: ALT_CHARS_MAX, description: 'What the picture shows, for those who do not see it', examples: ['A white ferry leaves the harbour'] },
      focus: {
        anyOf: [
          {
            type: 'object',
            properties: { x: { type: 'integer', minimum: 0, maximum: FOCUS_MAX }, y: { type: 'integer', minimum: 0, maximum: FOCUS_MAX } },
            required: ['x', 'y'],
          },
          { type: 'null' },
        ],
        description: 'What stays in sight where the picture is cut, in hundredths from the left and from the top; null is its middle',
        examples: [{ x: 30, y: 60 }],
      },
    },
    required: ['alt', 'focus'],
  },
}

const endpoint = endpointOn<Service>('Administration')

export const PICTURES = [
  endpoint({
    route: 'POST /api/v1/media',
    id: 'uploadPicture',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Send a picture, and get its address for `imageUrl`, `iconUrl` or `logoUrl`',
    description:
      `The body is the file: JPEG, PNG, WebP, GIF or AVIF, at most ${PICTURE_BYTES_MAX / 1024 ** 2} MiB and 50 megapixels. Its bytes decide, whatever its type is said to ` +
      'be. Exif, XMP, comments and all that follows the picture are removed. The same picture has the same address again. One that no ' +
      `document, earlier version or document of the trash names is deleted after 30 days. At most ${UPLOADS_MAX} are taken at the same time, ` +
      `${UPLOADS_PER_USER_MAX} of one user.`,
    body: 'bytes',
    bodyLimit: { bytesMax: PICTURE_BYTES_MAX },
    status: 201,
    response: picture,
    errors: ['invalidInput', 'conflict', 'payloadTooLarge', 'tooManyRequests', 'networkError'],
    client: 'admin.uploadPicture',
  }).handle(async ({ pictures, uploads }, exchange, { caller, acting }) => {
    const release = uploads.take(caller.id)
    try {
      const added = await pictures.keeping.add(await exchange.readBytes(), acting(requireEditor))
      return shown(pictures, exchange, added.picture)
    } finally {
      release()
    }
  }),
  endpoint({
    route: 'GET /api/v1/media',
    id: 'pictures',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'List the pictures, those first that came last',
    description: 'A page with `unused` true, or with `search`, looks at the next 1,000 pictures: it may have no items, and a `cursor` all the same.',
    parameters: ['newest', 'pictureCursor', 'unused', 'pictureSearch'],
    response: picturePage,
    errors: ['badRequest'],
    client: 'admin.pictures',
  }).handle(({ store, pictures }, exchange) => {
    const { query } = exchange
    const page = store.pictures.listPictures({ limit: readNewest(query), unused: readUnused(query.get('unused')), sought: readSought(query.get('search')), after: readCursor(query.get('cursor')) })
    const { pictures: count, bytes } = store.pictures.pictureTotals()
    const { next } = page
    return {
      items: page.items.map((one) => shown(pictures, exchange, one)),
      cursor: next === undefined ? null : `${next.createdAt}-${next.hash}`,
      storage: { count, bytes, bytesMax: pictures.limit().bytesMax },
    }
  }),
  endpoint({
    route: 'GET /api/v1/media/:hash',
    id: 'picture',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Read what is known of a picture, and which documents name it',
    description: `The first ${USERS_MAX} documents, without those of single users.`,
    response: pictureUsage,
    errors: ['notFound'],
    client: 'admin.picture',
  }).handle(({ store, pictures }, exchange) => {
    const hash = exchange.params['hash'] ?? ''
    const found = store.pictures.getPicture(hash)
    if (found === undefined) throw noPicture(hash)
    const users = store.pictures.pictureUsers(hash, USERS_MAX).map(({ model, id }) => ({ model: publicName(model), id }))
    return { picture: shown(pictures, exchange, found), users }
  }),
  endpoint({
    route: 'PUT /api/v1/media/:hash',
    id: 'describePicture',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Say what a picture shows, and what of it must stay in sight where it is cut',
    body: DESCRIPTION_BODY,
    bodyLimit: SHORT_BODY,
    response: picture,
    errors: ['invalidInput', 'notFound'],
    client: 'admin.describePicture',
  }).handle(async ({ pictures }, exchange, { acting }) => {
    const { alt, focus } = await exchange.readJson()
    if (typeof alt !== 'string' || alt.length > ALT_CHARS_MAX || !alt.isWellFormed()) {
      throw fail('invalidInput', `alt: expected a text of at most ${ALT_CHARS_MAX} characters, found ${describe(alt)}`)
    }
    const said = { alt: alt.trim(), focus: readFocus(focus) }
    return shown(pictures, exchange, await pictures.keeping.describe(exchange.params['hash'] ?? '', said, acting(requireEditor)))
  }),
  endpoint({
    route: 'DELETE /api/v1/admin/media/:hash',
    id: 'removePicture',
    access: 'administrator',
    summary: 'Delete a picture that no document names; those of single users do not count',
    errors: ['notFound', 'conflict'],
    client: 'admin.removePicture',
  }).handle(({ pictures }, { params }, { acting }) => pictures.keeping.remove(params['hash'] ?? '', acting(requireAdministrator))),
]

function shown({ base }: Service['pictures'], exchange: Exchange, one: CountedPicture): Picture {
  const { hash, format, width, height, frames, bytes, alt, focus = null, createdAt, actor, uses } = one
  const url = siteBaseOf(exchange, base) + picturePath(one)
  const type = PICTURE_FORMATS[format].type
  return { hash, url, type, width, height, frames, bytes, alt, focus, createdAt: isoDate(createdAt), createdBy: actor ?? null, uses }
}

function readUnused(text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === 'false') return text === 'true'
  throw fail('badRequest', `Cannot read unused ${describe(text)}: expected true or false`)
}

function readSought(text = ''): readonly string[] | undefined {
  if (text.trim() === '') return undefined
  if (text.length <= SEARCH_CHARS_MAX) return soughtWords(text)
  throw fail('badRequest', `Cannot search for ${describe(text)}: expected at most ${SEARCH_CHARS_MAX} characters, found ${text.length}`)
}

function readCursor(text: string | undefined): PicturePlace | undefined {
  if (text === undefined) return undefined
  const [, createdAt, hash] = CURSOR.exec(text) ?? []
  if (createdAt !== undefined && hash !== undefined) return { createdAt: Number(createdAt), hash }
  throw fail('badRequest', `Cannot read cursor ${describe(text)}: not issued by this server`)
}

function readFocus(value: Json | undefined): CountedPicture['focus'] {
  if (value === null) return undefined
  const { x, y } = isObject(value) ? value : {}
  const [left, top] = [x, y].map((part) => (isNumber(part) ? Number(part) : -1)) as [number, number]
  if ([left, top].every((part) => Number.isInteger(part) && part >= 0 && part <= FOCUS_MAX)) return { x: left, y: top }
  throw fail('invalidInput', `focus: expected x and y as whole numbers from 0 to ${FOCUS_MAX}, or null, found ${describe(value)}`)
}
