/**
 * A service that was upgraded while the page is open: it has another script, and what this page would fetch later is gone, such
 * as the texts of another language, since names hold a hash of their content.
 */
const ENTRY = 'script[type=module][src]'

/** Whether the page that the service has now names another script than this one does. False where it does not answer. */
export async function isUpgraded(signal?: AbortSignal): Promise<boolean> {
  const own = document.querySelector(ENTRY)?.getAttribute('src')
  try {
    const response = await fetch('./', { cache: 'no-store', ...(signal && { signal }) })
    return own != null && response.ok && !(await response.text()).includes(`"${own}"`)
  } catch {
    return false
  }
}
