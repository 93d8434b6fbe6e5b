/** The API lies beside the page, wherever a proxy has put both. */
export function apiUrl(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '')
}
