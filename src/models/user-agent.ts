/**
 * A readable name of a client from its User-Agent (RFC 9110 section 10.1.5), for people only. Browsers name each other
 * for old servers' sake (Edge also says Chrome and Safari), so the order of the tables counts.
 */

const NAME_CHARS_MAX = 60

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\/|\biP(?:hone|ad).*\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPad\b/, 'iPad'],
  [/\biP(?:hone|od)\b/, 'iPhone'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac(?:intosh|OS| OS X)\b/i, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const PRODUCTS: Readonly<Record<string, string>> = {
  dart: 'Dart app',
  postmanruntime: 'Postman',
  node: 'Node.js',
  undici: 'Node.js',
  wget: 'Wget',
  'go-http-client': 'Go program',
  'python-requests': 'Python program',
  'python-urllib': 'Python program',
}

export interface NamedClient {
  /** Empty where the client said nothing. */
  readonly name: string
  readonly system: string | undefined
}

/** Names the client. Texts that are no User-Agent, such as the label of a token, stay as they are. */
export function readUserAgent(text: string): NamedClient {
  if (text.startsWith('Mozilla/')) {
    return { name: firstOf(BROWSERS, text) ?? 'Browser', system: firstOf(SYSTEMS, text) }
  }
  const product = /^([\w.-]{1,40})\/\d/.exec(text)?.[1] ?? (/^(?:node|undici)$/.test(text) ? text : undefined)
  if (product === undefined) return { name: cut(text), system: undefined }
  const known = Object.hasOwn(PRODUCTS, product.toLowerCase()) ? PRODUCTS[product.toLowerCase()] : undefined
  return { name: known ?? product, system: undefined }
}

export function clientName(text: string): string {
  const { name, system } = readUserAgent(text)
  return system === undefined ? name : `${name} on ${system}`
}

function firstOf(table: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1]
}

/** By code points, so that no half of a character is left. */
function cut(text: string): string {
  const chars = [...text]
  return chars.length <= NAME_CHARS_MAX ? text : `${chars.slice(0, NAME_CHARS_MAX - 1).join('')}…`
}
