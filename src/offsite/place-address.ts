/** The addresses of places: `s3://KEYID@bucket/prefix?endpoint=https://…&region=…&style=path`, or `file:///mnt/nas/dateline`. */
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { cannotUse, readSecretFile } from '../base/setting-file.ts'

const PLACES_MAX = 8
const DEFAULT_REGION = 'us-east-1'
const PARAMETERS = ['endpoint', 'region', 'style']
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; others allow upper case and underscores. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/
const PREFIX = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*)?$/

export interface S3Address {
  readonly kind: 's3'
  /** The address without the id of the key: names the place. */
  readonly name: string
  /** The id of the access key; undefined where the address has none, for the only key that there is. */
  readonly keyId: string | undefined
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** `https://host` or `http://host:port`. */
  readonly endpoint: string
  readonly region: string
  readonly style: 'path' | 'virtual'
}

export interface DirectoryAddress {
  readonly kind: 'directory'
  readonly name: string
  readonly path: string
}

export type PlaceAddress = S3Address | DirectoryAddress

/** Reads addresses that are separated by spaces. Throws an Error without secrets that says what was found and wanted. */
export function parsePlaces(text: string): readonly PlaceAddress[] {
  const places = text.split(/\s+/).filter((one) => one !== '').map(parsePlace)
  if (places.length === 0) throw new Error('expected s3://bucket/prefix or file:///directory, found nothing')
  if (places.length > PLACES_MAX) throw new Error(`expected at most ${PLACES_MAX} places, found ${places.length}`)
  const twice = places.find(({ name }, i) => places.findIndex((one) => one.name === name) !== i)
  if (twice !== undefined) throw new Error(`expected each place once, found ${twice.name} twice`)
  return places
}

/** Reads one address. Throws as parsePlaces() does. */
export function parsePlace(text: string): PlaceAddress {
  const url = URL.parse(text)
  if (url?.protocol === 'file:') return directoryOf(url)
  if (url?.protocol === 's3:') return bucketOf(url)
  throw new Error(`expected s3://bucket/prefix or file:///directory, found "${maskPlaces(text)}"`)
}

/** The text without what may be a secret key in it. */
export function maskPlaces(text: string): string {
  return text.replace(/(\/\/[^/\s@:]*):[^\s]*@/g, '$1:***@')
}

function directoryOf(url: URL): DirectoryAddress {
  const path = url.host === '' && `${url.search}${url.hash}` === '' ? pathOf(url) : undefined
  if (path === undefined || dirname(path) === path) {
    throw new Error(`expected the directory of a mounted disk, such as file:///mnt/nas/dateline, found "${url.href}"`)
  }
  return { kind: 'directory', name: pathToFileURL(path).href, path }
}

/** Without a slash at its end; undefined where it cannot be a path. */
function pathOf(url: URL): string | undefined {
  try {
    return resolve(fileURLToPath(url))
  } catch {
    return undefined
  }
}

function bucketOf(url: URL): S3Address {
  // A flag is seen by all users of the machine, and an address is shown and logged.
  if (url.password !== '') throw new Error('expected no secret key in the address: it belongs in offsiteKeys, or in the file of --offsite-keys-file')
  const bucket = url.hostname
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) throw new Error(`expected the parameters ${PARAMETERS.join(', ')}, found "${unknown}"`)
  if (!BUCKET.test(bucket)) throw new Error(`expected the name of a bucket behind s3://, of 2 to 255 letters, digits and . _ -, the first a letter or a digit, found "${bucket}"`)
  if (!PREFIX.test(prefix) || prefix.length > 200) throw new Error(`expected a prefix of letters, digits and . _ - between slashes, found "${prefix}"`)
  const region = url.searchParams.get('region') ?? DEFAULT_REGION
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new Error(`expected a region such as eu-central-1, found "${region}"`)
  const given = url.searchParams.get('endpoint')
  const endpoint = given === null ? `https://s3.${region}.amazonaws.com` : endpointOf(given)
  const style = url.searchParams.get('style') ?? (given === null && !bucket.includes('.') ? 'virtual' : 'path')
  if (style !== 'path' && style !== 'virtual') throw new Error(`expected style=path or style=virtual, found "${style}"`)
  const keyId = url.username === '' ? undefined : decodeURIComponent(url.username)
  if (keyId !== undefined && !/^[\x21-\x39\x3b-\x7e]{1,200}$/.test(keyId)) throw new Error('expected the id of an access key before the @, found other characters')
  const host = given === null ? '' : `?endpoint=${endpoint}`
  return { kind: 's3', name: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}${host}`, keyId, bucket, prefix, endpoint, region, style }
}

function endpointOf(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  const isBare = url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && `${url.search}${url.hash}${url.username}${url.password}` === ''
  if (!isBare) throw new Error(`expected an endpoint such as https://s3.example.org, found "${maskPlaces(text)}"`)
  return url.origin
}

// The secrets of access keys.

const KEYS_MAX = 32

/** Secret keys by the ids of their access keys. */
export type PlaceKeys = ReadonlyMap<string, string>

/** Reads `KEYID:SECRET`, several of them separated by spaces or lines. Throws an Error without secrets. */
export function parsePlaceKeys(text: string): PlaceKeys {
  const pairs = text.split(/\s+/).filter((one) => one !== '')
  const keys = pairs.map((pair, i) => {
    const [, id, secret] = /^([^:]{1,200}):([\x21-\x7e]{1,500})$/.exec(pair) ?? []
    if (id === undefined || secret === undefined) throw new Error(`expected KEYID:SECRET, found something else as number ${i + 1}`)
    return [id, secret] as const
  })
  if (keys.length === 0 || keys.length > KEYS_MAX) throw new Error(`expected 1 to ${KEYS_MAX} pairs of KEYID:SECRET, found ${keys.length}`)
  return new Map(keys)
}

export interface AccessKey {
  readonly id: string
  readonly secret: string
}

/** The key for a bucket: that of its address, or the only one. Throws an Error that says what is missing. */
export function keyFor({ keyId, name }: S3Address, keys: PlaceKeys): AccessKey {
  const id = keyId ?? (keys.size === 1 ? [...keys.keys()][0] : undefined)
  const secret = id === undefined ? undefined : keys.get(id)
  if (id !== undefined && secret !== undefined) return { id, secret }
  const wanted = keyId === undefined ? `which of ${keys.size} access keys it is for, as in s3://KEYID@${name.slice(5)}` : `the secret of the access key ${keyId}`
  throw new Error(`${name}: expected ${wanted}: see offsiteKeys and --offsite-keys-file`)
}

const KEYS_FILE_BYTES_MAX = 16 * 1024

/** Those of a file that its owner alone can read. Throws a SettingError. */
export function readPlaceKeys(path: string): PlaceKeys {
  const setting = { flag: '--offsite-keys-file', path, expected: 'a file with a line KEYID:SECRET for each access key', bytesMax: KEYS_FILE_BYTES_MAX }
  const { bytes } = readSecretFile(setting)
  try {
    return parsePlaceKeys(bytes.toString('utf8'))
  } catch (error) {
    throw cannotUse(setting, error instanceof Error ? error.message : String(error))
  }
}
