/** The version and the commit of this program, from package.json. */
import packageJson from '../../package.json' with { type: 'json' }

export const VERSION: string = packageJson.version
/** The commit that an executable was built of, as the build adds it; null in the sources, and where no git knew it. */
export const COMMIT: string | null = (packageJson as { readonly commit?: string }).commit ?? null
