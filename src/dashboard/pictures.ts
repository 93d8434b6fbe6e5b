/**
 * Pictures of documents, which are on other hosts: whether they are shown, and what a document says of its own.
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

/** The URL of the picture, where a browser may fetch it: the policy of the page allows https alone. */
export function pictureUrl(document: Members, field: string): string | undefined {
  const text = document[field]
  const url = typeof text === 'string' ? URL.parse(text) : null
  // A browser does not fetch a picture whose URL has a name and a password in it.
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
}

/** `on` or `off`, as the service wrote it into the page; undefined for the default, which leaves it to the reader. */
function setting(): string | undefined {
  return document.documentElement.dataset['pictures']
}
