/** Buckets on servers that misbehave, refuse and attack: each problem is one sentence with its remedy, and no secret is in it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { misbehavingServer } from '../support/outbound/misbehaving-server.ts'
import { s3Server, type Fault, type S3Call, type S3ServerOptions } from '../../scripts/tools/offsite/s3-server.ts'
import { streamOf } from '../../src/base/byte-source.ts'
import { PlaceError, type Place } from '../../src/offsite/place.ts'
import { authorization, sha256 } from '../../src/offsite/s3-signing.ts'
import { bucketOn, bytesOf } from '../support/offsite/places.ts'

const LONG = Buffer.alloc(9 * 1024 * 1024, 'dateline ')
const put = (place: Place): Promise<void> => place.put('a.age', streamOf(Buffer.from('content')), 100)

async function problemOf(work: Promise<unknown>): Promise<{ readonly kind: string; readonly message: string }> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof PlaceError, String(error))
    assert.equal(/secret\/key|Signature=/.test(`${error.message}${String(error.stack)}`), false)
    return error
  }
  return { kind: 'none', message: 'no problem' }
}

describe('a request to S3', () => {
  it('has the signature of the documentation of AWS', () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
    const headers = { host: 'examplebucket.s3.amazonaws.com', range: 'bytes=0-9', 'x-amz-content-sha256': sha256(''), 'x-amz-date': '20130524T000000Z' }
    const signed = authorization({ method: 'GET', path: '/test.txt', query: [], headers, bodyHash: sha256('') }, { key, region: 'us-east-1', service: 's3', now: Date.UTC(2013, 4, 24) })
    assert.match(signed, /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/)
  })

  /** Once for each kind of request of a long upload and its download. */
  const once = (fault: Fault, isHit: (call: S3Call) => boolean) => {
    let isOver = false
    const options: S3ServerOptions = { fault: (call) => (!isOver && isHit(call) ? ((isOver = true), fault) : undefined) }
    return { options, wasHit: () => isOver }
  }
  const requests: Readonly<Record<string, (call: S3Call) => boolean>> = {
    'the begin of an upload': ({ method, query }) => method === 'POST' && query.has('uploads'),
    'a part': ({ query }) => query.get('partNumber') === '2',
    'the end of an upload': ({ method, query }) => method === 'POST' && query.has('uploadId'),
    'a range': ({ method, path, nth }) => method === 'GET' && path.endsWith('a.age') && nth > 4,
    'a list': ({ query }) => query.has('list-type'),
  }
  // All of them share their attempts; a lost response also leaves something done behind.
  const faults: readonly Fault[] = [{ kind: 'lost' }, { kind: 'error', status: 500 }, { kind: 'error', status: 503, code: 'SlowDown' }, { kind: 'cut' }, { kind: 'truncated' }, { kind: 'slow', ms: 50 }]
  for (const [name, isHit] of Object.entries(requests)) {
    for (const fault of name === 'a range' ? faults : faults.slice(0, 1)) {
      it(`for ${name} survives ${fault.kind === 'error' ? fault.status : fault.kind}`, async (t) => {
        const { options, wasHit } = once(fault, isHit)
        const server = await s3Server(t, options)
        const place = bucketOn(server)
        await place.put('a.age', streamOf(LONG), LONG.length)
        assert.ok(LONG.equals(await bytesOf(place.get('a.age'))))
        assert.deepEqual(await place.list(''), [{ key: 'a.age', bytes: LONG.length }])
        assert.ok(wasHit())
        // The begin of an upload whose response was lost leaves one, which a sweep removes.
        assert.ok(server.uploads.size <= 1)
      })
    }
  }

  it('is given up after some attempts', async (t) => {
    const server = await s3Server(t, { fault: () => ({ kind: 'error', status: 500 }) })
    const { kind, message } = await problemOf(put(bucketOn(server)))
    assert.equal(kind, 'network')
    assert.match(message, /cannot serve now \(500 InternalError\): the service retries by itself/)
    assert.equal(server.calls.length, 5)
  })
})

describe('a server that refuses', () => {
  const HOUR_MS = 3_600_000
  const cases: readonly (readonly [string, S3ServerOptions, Parameters<typeof bucketOn>[1], string, RegExp])[] = [
    ['for the clock', { now: () => Date.now() + HOUR_MS }, {}, 'clock', /clock of this machine differs from that of the server by (?:59|60|61) minutes: set it, such as by NTP$/],
    ['for the region', { region: 'eu-central-1' }, {}, 'region', /the bucket is in the region eu-central-1, found region=us-east-1 in the address: write region=eu-central-1$/],
    ['an unknown key', { keys: { OTHER: 'x' } }, {}, 'denied', /does not know the access key .*: check its id$/],
    ['another secret', {}, { keys: new Map([['AKID', 'another']]) }, 'denied', /secret of the access key is not that of the server: set it again/],
    ['a bucket that is not there', {}, { bucket: 'others' }, 'address', /there is no bucket "others": make it, or correct the address$/],
    ['since it is full', { fault: () => ({ kind: 'error', status: 507, code: 'XMinioStorageFull' }) }, {}, 'full', /the place is full \(507 XMinioStorageFull\): make room there/],
    ['for a quota', { fault: () => ({ kind: 'error', status: 403, code: 'QuotaExceeded' }) }, {}, 'full', /the place is full/],
    ['rights', { fault: () => ({ kind: 'error', status: 403, code: 'AccessDenied' }) }, {}, 'denied', /denies this \(403 AccessDenied\): let the access key list, read, write and delete/],
    ['by a redirect', { fault: () => ({ kind: 'error', status: 307, headers: { location: 'http://127.0.0.1:1/' } }) }, {}, 'region', /redirects to another one/],
    ['a part behind the end', { fault: () => ({ kind: 'error', status: 416, code: 'InvalidRange' }) }, {}, 'damaged', /the object is empty or cut off \(416 InvalidRange\)$/],
    ['with HTML', { fault: () => ({ kind: 'error', status: 400, body: '<html><script>alert(1)</script></html>' }) }, {}, 'protocol', /responded with 400: check the endpoint/],
  ]
  for (const [name, options, setup, wanted, sentence] of cases) {
    it(`${name} is told in one sentence`, async (t) => {
      const server = await s3Server(t, options)
      const { kind, message } = await problemOf(put(bucketOn(server, setup)))
      assert.match(message, sentence)
      assert.equal(kind, wanted)
      assert.equal(server.calls.length, 1, 'it is not asked again')
    })
  }

  it('is not connected to where --outbound-allow does not name it', async (t) => {
    const server = await s3Server(t)
    assert.match((await problemOf(put(bucketOn(server, { allow: '' })))).message, /is a loopback address.*name the host in --outbound-allow|address, which the service does not connect to/)
    assert.equal(server.calls.length, 0)
  })
})

describe('a hostile server', () => {
  it('cannot send more than was asked for, nor something else in its place', async (t) => {
    const bodies: readonly (readonly [string, Fault])[] = [
      ['another range', { kind: 'error', status: 206, headers: { 'content-range': 'bytes 7-12/13' }, body: 'behind' }],
      ['no range', { kind: 'error', status: 206, body: 'x' }],
      ['nothing for ever', { kind: 'error', status: 206, headers: { 'content-range': 'bytes 0-0/99999' }, body: '' }],
    ]
    for (const [name, fault] of bodies) {
      const server = await s3Server(t, { fault: () => fault })
      assert.match((await problemOf(bytesOf(bucketOn(server).get('a.age')))).message, /does not send the part of an object that was asked for/, name)
    }
    const endless = await misbehavingServer(t, (socket) => {
      socket.write('HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-8388607/8388608\r\nTransfer-Encoding: chunked\r\n\r\n')
      const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
      const more = (): void => void (socket.destroyed || socket.write(chunk, more))
      more()
    })
    assert.match((await problemOf(bytesOf(bucketOn({ endpoint: `http://127.0.0.1:${endless.port}` }).get('a.age')))).message, /is longer than \d+ bytes/)
  })

  it('cannot make a list without end, or with keys that lead out of a directory', async (t) => {
    const page = (keys: readonly string[]) => `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</ListBucketResult>`
    const server = await s3Server(t, { fault: () => ({ kind: 'error', status: 200, body: page(['../../etc/passwd', 'snapshots/../x', '/x', 'ok.age', 'a&#x2e;age']) }) })
    assert.match((await problemOf(bucketOn(server).list(''))).message, /more than 200000 objects/)
    const short = await s3Server(t, { fault: () => ({ kind: 'error', status: 200, body: page(['../../etc/passwd', 'a//b', 'ok.age']).replace('true', 'false') }) })
    assert.deepEqual((await bucketOn(short).list('')).map(({ key }) => key), ['ok.age'])
  })

  it('cannot answer with something that is no S3', async (t) => {
    const server = await s3Server(t, { fault: () => ({ kind: 'error', status: 200, body: '<html>Welcome to the hotel network</html>' }) })
    assert.match((await problemOf(bucketOn(server).list(''))).message, /did not answer as S3 does: check the endpoint/)
  })
})

describe('an eventual list', () => {
  it('does not make a removal or an upload fail', async (t) => {
    const server = await s3Server(t, { fault: ({ query }) => (query.has('list-type') ? { kind: 'stale' } : undefined) })
    const place = bucketOn(server)
    await put(place)
    await place.list('')
    await place.remove('a.age')
    assert.deepEqual(await place.list(''), [])
  })
})
