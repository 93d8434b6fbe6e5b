/**
 * The reader's choice of light or dark, before anything is painted: a script of its own that the head of a page waits for,
 * since the modules of the page come later and the policy of the page allows no script within it. kit/theme-choice.ts does the rest.
 */
{
  let theme: unknown
  try {
    theme = (JSON.parse(localStorage.getItem('dateline.choices') ?? '{}') as { readonly theme?: unknown }).theme
  } catch {
    // Without storage, or with something else in it, the system decides.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
}

export {}
