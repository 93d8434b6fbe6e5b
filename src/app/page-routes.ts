/**
 * The dashboard at `/`, the API reference at `/docs`, and the scripts and styles of both.
 *
 * All files were built before and are in memory under their exact paths: nothing that a client sends names a file. HTML
 * is asked for again each time; a script or style has a hash in its name and is not. The policy allows
 * the least that the pages need: their own scripts, styles and service, no inline script or style, no text that becomes
 * HTML (Trusted Types), no frame around them. So a stored text that gets past everything else still runs nowhere.
 *
 * Pictures of other hosts are allowed to the dashboard alone, by https: and where the setting allows them. A policy cannot be
 * loosened once a page is open, so one whose reader may still ask for pictures has them allowed, and shows none until then.
 * `Cross-Origin-Embedder-Policy: credentialless` takes cookies, client certificates and passwords out of these requests
 * (https://html.spec.whatwg.org/multipage/browsers.html#coep); `crossorigin` would too, but few hosts of pictures allow that.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, fail } from '../base/failure.ts'
import type { Config } from '../config/settings.ts'
import { entityTag } from '../http/entity-tag.ts'
import type { Handler, HttpResponse, ResponseHeaders } from '../http/exchange.ts'
import { fileContent, type Represent } from '../http/representation.ts'
import type { Route } from '../http/router.ts'

/** The OpenAPI document, which is built with the pages and has an endpoint of its own. */
export const OPENAPI_PATH = '/api/v1/openapi.json'

/** The page that lists the files of the typed client, which are below it. */
export const CLIENT_PATH = '/docs/client/'

export interface PageAsset {
  /** `/`, `/docs`, `/favicon.ico`, `/assets/NAME`, CLIENT_PATH, a file below it, or OPENAPI_PATH. */
  readonly path: string
  readonly type: string
  readonly body: Uint8Array
  /** The body compressed; undefined where that makes it no smaller. */
  readonly brotli: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
  /** Whether its path changes with its content, so that a browser may keep it for ever. */
  readonly immutable: boolean
}

function contentSecurityPolicy(pictures: "'self'" | "'self' https:"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src ${pictures}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** Features of browsers that the pages do without, as far as browsers know their names. Passkeys they use. */
const SWITCHED_OFF = `accelerometer autoplay camera clipboard-read display-capture encrypted-media fullscreen
  geolocation gyroscope hid idle-detection local-fonts magnetometer microphone midi payment picture-in-picture
  screen-wake-lock serial usb xr-spatial-tracking`.split(/\s+/)

export const SECURITY_HEADERS: ResponseHeaders = {
  'Content-Security-Policy': contentSecurityPolicy("'self'"),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': SWITCHED_OFF.map((feature) => `${feature}=()`).join(', '),
}

export const PICTURE_HEADERS: ResponseHeaders = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy': contentSecurityPolicy("'self' https:"),
  'Cross-Origin-Embedder-Policy': 'credentialless',
}

const DASHBOARD_PATH = '/'
/** Of a file whose name changes with its bytes. */
export const FOR_EVER = 'public, max-age=31536000, immutable'
const ASKED_AGAIN = 'no-cache'
const PLAIN = 'text/plain; charset=utf-8'

const NOT_BUILT =
  'The dashboard has not been built. Start the service by "npm start", which builds it, or run ' +
  '"node scripts/build-dashboard.ts" and start the service again. The API works all the same.\n'

/** What the service says of the pages. */
export type PageSettings = Pick<Config, 'dashboardImages'>

/** The routes of all pages; without assets, what there should be says what to do. */
export function pageRoutes(assets: readonly PageAsset[] | undefined, settings: PageSettings, represent: Represent): readonly Route[] {
  const files = new Map((assets ?? []).map((asset) => [asset.path, servedAsset(asset, settings, represent)]))
  const serve: Handler = (exchange) => {
    const file = files.get(exchange.path)
    if (file !== undefined) return file(exchange)
    throw fail('notFound', `Cannot ${exchange.method} ${describe(exchange.path)}: there is no such file`)
  }
  const page = assets === undefined ? () => plain(503, NOT_BUILT) : serve
  return [
    { method: 'GET', path: DASHBOARD_PATH, handler: page },
    { method: 'GET', path: '/docs', handler: page },
    { method: 'GET', path: '/docs/', handler: () => WITHOUT_SLASH },
    { method: 'GET', path: '/docs/client', handler: () => CLIENT_WITHOUT_SLASH },
    { method: 'GET', path: CLIENT_PATH, handler: page },
    { method: 'GET', path: `${CLIENT_PATH}:name`, handler: serve },
    { method: 'GET', path: '/assets/:name', handler: serve },
    { method: 'GET', path: '/favicon.ico', handler: serve },
  ]
}

function servedAsset(asset: PageAsset, { dashboardImages }: PageSettings, represent: Represent): Handler {
  if (asset.path !== DASHBOARD_PATH) return servedFile(asset, SECURITY_HEADERS, represent)
  return servedFile(withPictures(asset, dashboardImages), dashboardImages === 'off' ? SECURITY_HEADERS : PICTURE_HEADERS, represent)
}

/** Tells the script of the page the setting, unless it is the default. Other bytes also mean another tag for other headers. */
function withPictures(asset: PageAsset, pictures: Config['dashboardImages']): PageAsset {
  if (pictures === 'on-request') return asset
  const text = Buffer.from(asset.body).toString().replace('<html', `<html data-pictures="${pictures}"`)
  const body = Buffer.from(text)
  return { ...asset, body, brotli: brotliCompressSync(body), gzip: gzipSync(body) }
}

/** Each file of the pages as a response to a request. */
function servedFile(asset: PageAsset, headers: ResponseHeaders, represent: Represent): Handler {
  const content = fileContent(asset.type, asset)
  const facts = { tag: entityTag(asset.body), caching: asset.immutable ? FOR_EVER : ASKED_AGAIN, headers }
  return (exchange) => represent(exchange, content, facts)
}

function plain(status: number, body: string, more: ResponseHeaders = {}): HttpResponse {
  return {
    kind: 'raw',
    status,
    contentType: PLAIN,
    body,
    headers: { 'Cache-Control': ASKED_AGAIN, ...SECURITY_HEADERS, ...more },
  }
}

/** The links of the page are relative, and so is this one: below a path of a proxy as well, it leads to the page. */
const WITHOUT_SLASH = plain(308, 'See ../docs\n', { Location: '../docs' })
const CLIENT_WITHOUT_SLASH = plain(308, 'See client/\n', { Location: 'client/' })
