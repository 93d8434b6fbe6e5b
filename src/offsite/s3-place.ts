/** A bucket of S3, or of a server that speaks its protocol (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
import { pieces } from '../base/byte-source.ts'
import { isKey, ABANDONED_MS, inOrder, OBJECTS_MAX, PlaceError, type Place, type PlaceObject } from './place.ts'
import { createS3Requests, type S3Options } from './s3-requests.ts'
import { readXml, textOfChild, type XmlElement } from './s3-xml.ts'

/** S3 takes 10,000 parts of 5 MiB at least; some servers want all but the last of one size. */
const PART_BYTES_MIN = 8 * 1024 * 1024
const PARTS_MAX = 9_000
const PAGE_OBJECTS = 1_000

export function createS3Place(options: S3Options): Place {
  const { address, rate } = options
  const { prefix, name } = address
  const send = createS3Requests(options)
  const whole = (key: string): string => (prefix === '' ? key : `${prefix}/${key}`)

  const xmlOf = async (request: Parameters<typeof send>[0], root: string): Promise<XmlElement> => {
    const { body } = await send(request)
    const found = readXml(body?.toString('utf8') ?? '')
    if (found?.name === root) return found
    throw new PlaceError('protocol', `${name}: the server did not answer as S3 does: check the endpoint in the address`)
  }
  /** Bytes of an object; undefined where there is none. */
  const sizeOf = async (key: string): Promise<number | undefined> => {
    const found = (await place.list(key)).find((object) => object.key === key)
    return found?.bytes
  }
  const putParts = async (key: string, parts: AsyncIterable<Uint8Array>, uploadId: string): Promise<void> => {
    const tags: string[] = []
    let bytes = 0
    for await (const body of parts) {
      bytes += body.length
      const query = [['partNumber', String(tags.length + 1)], ['uploadId', uploadId]] as const
      const { headers } = await send({ method: 'PUT', key, query, body })
      tags.push(headers.etag ?? '')
    }
    const listed = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag.replace(/[<&]/g, '')}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
    try {
      await send({ method: 'POST', key, query: [['uploadId', uploadId]], headers: { 'content-type': 'application/xml' }, body })
    } catch (error) {
      // The response of an attempt that succeeded was lost: the upload is gone, and its object there.
      if (error instanceof PlaceError && error.kind === 'missing' && (await sizeOf(key)) === bytes) return
      throw error
    }
  }
  const place: Place = {
    name,
    async put(key, content, bytesMax) {
      const partBytes = Math.max(PART_BYTES_MIN, Math.ceil(bytesMax / PARTS_MAX))
      const parts = pieces(content, partBytes)
      const first = await parts.next()
      const second = await parts.next()
      if (second.done === true) return void (await send({ method: 'PUT', key, body: first.done === true ? Buffer.alloc(0) : first.value }))
      const uploadId = textOfChild(await xmlOf({ method: 'POST', key, query: [['uploads', '']] }, 'InitiateMultipartUploadResult'), 'UploadId') ?? ''
      try {
        await putParts(key, both([first.value as Uint8Array, second.value], parts), uploadId)
      } catch (error) {
        await send({ method: 'DELETE', key, query: [['uploadId', uploadId]] }).catch(() => {})
        throw error
      }
    },
    async *get(key, from = 0) {
      let etag: string | undefined
      for (let at = from; ; ) {
        const range = { range: `bytes=${at}-${at + rate.rangeBytes - 1}`, ...(etag === undefined ? {} : { 'if-match': etag }) }
        const { status, headers, body = Buffer.alloc(0) } = await send({ method: 'GET', key, headers: range, bodyBytesMax: rate.rangeBytes })
        const [, first = '', total = ''] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
        if (status !== 206 || first !== String(at) || body.length === 0) {
          // An empty object has no range; a server that knows no ranges sends all.
          if (status === 200 && at === 0) return yield body
          throw new PlaceError('protocol', `${name}: the server does not send the part of an object that was asked for: check the endpoint`)
        }
        etag ??= headers.etag
        at += body.length
        yield body
        await rate.take(body.length)
        if (at >= Number(total)) return
      }
    },
    async list(wanted) {
      const found: PlaceObject[] = []
      let token: string | undefined
      for (let pages = 0; pages * PAGE_OBJECTS < OBJECTS_MAX; pages++) {
        const query = [['list-type', '2'], ['prefix', whole(wanted)], ['max-keys', String(PAGE_OBJECTS)], ...(token === undefined ? [] : [['continuation-token', token] as const])] as const
        const page = await xmlOf({ method: 'GET', query }, 'ListBucketResult')
        for (const object of page.children.filter((child) => child.name === 'Contents')) {
          const [full = '', size = ''] = [textOfChild(object, 'Key'), textOfChild(object, 'Size')]
          const key = prefix === '' ? full : full.startsWith(`${prefix}/`) ? full.slice(prefix.length + 1) : ''
          if (isKey(key) && key.startsWith(wanted) && /^\d{1,15}$/.test(size)) found.push({ key, bytes: Number(size) })
        }
        token = textOfChild(page, 'NextContinuationToken')
        if (textOfChild(page, 'IsTruncated') !== 'true' || token === undefined) return inOrder(found)
      }
      throw new PlaceError('protocol', `${name}: there are more than ${OBJECTS_MAX} objects: give the backups a prefix of their own`)
    },
    async remove(key) {
      await send({ method: 'DELETE', key }).catch((error: unknown) => {
        if (!(error instanceof PlaceError) || error.kind !== 'missing') throw error
      })
    },
    async sweep(now) {
      const listing = { method: 'GET', query: [['prefix', prefix === '' ? '' : `${prefix}/`], ['uploads', '']] } as const
      const page = await xmlOf(listing, 'ListMultipartUploadsResult').catch((error: unknown) => {
        // Some servers list no uploads, and end those that were abandoned by themselves.
        if (error instanceof PlaceError && error.cause === 'NotImplemented') return undefined
        throw error
      })
      for (const upload of page?.children.filter((child) => child.name === 'Upload') ?? []) {
        const [full = '', uploadId = ''] = [textOfChild(upload, 'Key'), textOfChild(upload, 'UploadId')]
        const key = full.slice(prefix === '' ? 0 : prefix.length + 1)
        const begun = Date.parse(textOfChild(upload, 'Initiated') ?? '')
        if (full === whole(key) && isKey(key) && now - begun > ABANDONED_MS) await send({ method: 'DELETE', key, query: [['uploadId', uploadId]] })
      }
    },
  }
  return place
}

async function* both(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first
  yield* rest
}
