/**
 * Pictures of documents: whether those of other hosts are shown, and what a document says of its own. Those that the service
 * keeps are always shown.
 *
 * To fetch a picture tells its host the network address of the reader and the time. So the service says whether pictures may be
 * shown, and unless it shows them to all, the reader decides: once for a document, or for all of them.
 */
import type { Model } from '../models/schema.ts'
import type { Members } from './any-documents.ts'
import { storeChoice, storedChoice } from './browser-storage.ts'

const CHOICE = 'pictures'
const ALWAYS = 'always'
/** The one that an app shows first is the first. */
const PICTURE_FIELD = /^(?:image|icon|logo|flag)Url$/

/** The end of the address of one that the service keeps. */
const OWN = /\/media\/[0-9a-f]{64}\.[a-z]{3,4}$/

/** Whether the service lets its page show any. */
export function mayShowPictures(): boolean {
  return setting() !== 'off'
}

/** Whether the reader decides. */
export function maySwitchPictures(): boolean {
  return setting() === undefined
}

/** Whether they are shown unasked. */
export function arePicturesShown(): boolean {
  return setting() === 'on' || (maySwitchPictures() && storedChoice(CHOICE) === ALWAYS)
}

/** From now on, in all tabs of this browser that are opened. */
export function showPictures(isAlways: boolean): void {
  storeChoice(CHOICE, isAlways ? ALWAYS : undefined)
}

/** The field with the picture of a document; undefined where the model has none. */
export function pictureField(model: Model): string | undefined {
  return Object.keys(model.fields).find((name) => PICTURE_FIELD.test(name))
}

/** Where the service itself has a picture, from its address on whatever host; undefined for one of another host. */
export function ownPicture(address: string): string | undefined {
  const path = OWN.exec(URL.parse(address)?.pathname ?? '')?.[0]
  return path === undefined ? undefined : new URL(path.slice(1), document.baseURI).href
}

/** Whether to fetch a picture tells no other host of the reader. */
export function isOwnPicture(url: string): boolean {
  return URL.parse(url)?.origin === location.origin
}

/** The URL of the picture, where the reader sees it now. */
export function shownPicture(document: Members, field: string): string | undefined {
  const url = pictureUrl(document, field)
  return url !== undefined && (isOwnPicture(url) || arePicturesShown()) ? url : undefined
}

/** The URL of the picture, where a browser may fetch it: the policy of the page allows the service itself, and https. */
export function pictureUrl(document: Members, field: string): string | undefined {
  const text = document[field]
  const own = typeof text === 'string' ? ownPicture(text) : undefined
  if (own !== undefined) return own
  const url = typeof text === 'string' ? URL.parse(text) : null
  // A browser does not fetch a picture whose URL has a name and a password in it.
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
}

/** `on` or `off`, as the service wrote it into the page; undefined for the default, which leaves it to the reader. */
function setting(): string | undefined {
  return document.documentElement.dataset['pictures']
}
