import {
  Activity,
  AlertTriangle,
  Ban,
  Boxes,
  Check,
  ChevronRight,
  CircleCheck,
  CircleDashed,
  CircleX,
  Clock,
  Command,
  Copy,
  Download,
  FlaskConical,
  GitBranch,
  House,
  type IconNode,
  Info,
  Keyboard,
  LayoutGrid,
  List,
  LoaderCircle,
  Lock,
  LogOut,
  Maximize,
  Minus,
  Network,
  PackageSearch,
  PauseCircle,
  Plus,
  RefreshCw,
  Search,
  Settings,
  Trash2,
  Upload,
  X,
} from 'lucide';
import { h, type JSX } from 'preact';

const icons = {
  activity: Activity,
  warning: AlertTriangle,
  ban: Ban,
  boxes: Boxes,
  check: Check,
  caret: ChevronRight,
  healthy: CircleCheck,
  unknown: CircleDashed,
  failed: CircleX,
  clock: Clock,
  command: Command,
  copy: Copy,
  download: Download,
  bench: FlaskConical,
  branch: GitBranch,
  house: House,
  info: Info,
  keyboard: Keyboard,
  tiles: LayoutGrid,
  list: List,
  loading: LoaderCircle,
  lock: Lock,
  leave: LogOut,
  fit: Maximize,
  minus: Minus,
  network: Network,
  catalog: PackageSearch,
  paused: PauseCircle,
  plus: Plus,
  refresh: RefreshCw,
  search: Search,
  settings: Settings,
  trash: Trash2,
  upload: Upload,
  close: X,
} satisfies Readonly<Record<string, IconNode>>;

/** Names of the icons of the console. */
export type IconName = keyof typeof icons;

/** An icon, 16 pixels; it means nothing to screen readers: the text beside it does. */
export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }): JSX.Element {
  const children = icons[name].map(([tag, attributes]) => h(tag, attributes as Record<string, string>));
  return (
    <svg
      class={`icon ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
