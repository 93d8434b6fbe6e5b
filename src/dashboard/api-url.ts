/**
 * A name of something that pages of this origin share, such as an entry of a storage: services below paths of one host are not
 * the same. One at the root has plain names.
 */
export function nameHere(name: string): string {
  const { pathname } = new URL('.', document.baseURI)
  return pathname === '/' ? name : `${name} ${pathname}`
}

/** The API lies beside the page, wherever a proxy has put both. */
export function apiUrl(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '')
}
