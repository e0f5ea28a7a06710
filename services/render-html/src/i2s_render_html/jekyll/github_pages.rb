# frozen_string_literal: true

# Has a site that was made for GitHub Pages built although a plugin or theme of GitHub Pages is not installed here.
# The site is built without it, and a warning says so. What GitHub Pages would not build either stays an error.
module GitHubPages
  MOST_WARNINGS = 20
  MOST_IMPORTS = 20
  # The tags that plugins add to Liquid. Without the plugin they would be errors of syntax.
  TAGS = {
    "jekyll-avatar"          => "avatar",
    "jekyll-feed"            => "feed_meta",
    "jekyll-gist"            => "gist",
    "jekyll-github-metadata" => "github_edit_link",
    "jekyll-include-cache"   => "include_cached",
    "jekyll-octicons"        => "octicon",
    "jekyll-seo-tag"         => "seo",
  }.freeze
  MISSING_INCLUDE = %r!Could not locate the included file '(.+?)'!.freeze
  UNREADABLE_IMPORT = %r!File to import not found or unreadable: (.+?)\.?$!.freeze

  # A tag of a plugin that is not here writes nothing.
  class EmptyTag < Liquid::Tag
    def render(_context)
      ""
    end
  end

  @warnings = []

  # The tag of jekyll-gist, which is loaded at the first use.
  class GistOnDemand
    def self.parse(*arguments)
      Jekyll::External.require_with_graceful_fail("jekyll-gist")
      Liquid::Template.tags["gist"].parse(*arguments)
    end
  end

  class << self
    attr_reader :warnings

    # Whether the theme that the configuration names is not installed.
    def theme_missing?
      @theme_missing
    end

    # Whether includes and style sheets of a theme are not here.
    def without_theme?
      @theme_missing || @remote_theme
    end

    # Change the configuration of a site to what can be built here.
    #
    # configuration - That of Jekyll; changed in place. Its whitelist names the plugins that may be loaded.
    # pages         - "plugins" and "themes" that GitHub Pages has.
    def prepare(configuration, pages)
      @pages = pages
      prepare_plugins(configuration)
      prepare_theme(configuration)
      return unless configuration["markdown"].to_s.casecmp?("CommonMarkGhPages")

      configuration["markdown"] = "kramdown"
      warn("the Markdown converter CommonMarkGhPages is not installed: kramdown is used")
    end

    def warn(message)
      warnings << message unless warnings.size >= MOST_WARNINGS || warnings.include?(message)
    end

    # Name a plugin as not installed, and have its tag accepted.
    def plugin_missing(name)
      warn("the plugin #{name} is not installed: the site is built without it")
      replace_tag(name)
    end

    private

    def prepare_plugins(configuration)
      named = Array(configuration["plugins"]).grep(String)
      prepare_unnamed(configuration)
      named.reject { |name| configuration["whitelist"].include?(name) }.each do |name|
        if @pages.fetch("plugins").include?(name)
          plugin_missing(name)
        else
          warn("the plugin #{name} is not one of GitHub Pages: the site is built without it")
        end
      end
    end

    # GitHub Pages loads some plugins that no site names. These act only where a site uses them; its others of this
    # kind rewrite pages that plain Jekyll would leave alone, so they are loaded where they are named.
    def prepare_unnamed(configuration)
      configuration["plugins"] = Array(configuration["plugins"]) | ["jekyll-paginate"] if configuration["paginate"]
      Liquid::Template.register_tag("gist", GistOnDemand)
      replace_tag("jekyll-github-metadata")
    end

    def prepare_theme(configuration)
      name = configuration["theme"]
      if name.is_a?(String) && @pages.fetch("themes").include?(name.downcase.strip) && !installed?(name)
        @theme_missing = true
        warn("the theme #{name} is not installed: the site is built without it")
      end
      remote = configuration["remote_theme"]
      return unless remote.is_a?(String)

      @remote_theme = true
      warn("the theme #{remote} lies elsewhere, and builds have no network: the site is built without it")
    end

    def installed?(name)
      !Gem::Specification.find_by_name(name.downcase.strip).nil?
    rescue Gem::LoadError
      false
    end

    def replace_tag(plugin)
      tag = TAGS[plugin]
      return if tag.nil?

      substitute = tag == "include_cached" ? Jekyll::Tags::IncludeTag : EmptyTag
      Liquid::Template.register_tag(tag, substitute)
    end
  end

  # In the place of Jekyll's own, which ends the build at the first plugin that is not installed.
  module WithoutMissingPlugins
    def require_with_graceful_fail(names)
      Array(names).each do |name|
        require name
      rescue LoadError => e
        Jekyll.logger.info "Plugin:", "#{name} cannot be loaded: #{e.message}"
        GitHubPages.plugin_missing(name)
      end
    end
  end

  # A theme that is not installed is none; its name stays in the configuration, where pages may use it.
  module WithoutMissingTheme
    private

    def configure_theme
      GitHubPages.theme_missing? ? self.theme = nil : super
    end
  end

  # An include of a theme that is not installed writes nothing.
  module WithoutMissingIncludes
    def render(context)
      super
    rescue IOError => e
      raise unless GitHubPages.without_theme?

      file = e.message[MISSING_INCLUDE, 1] or raise
      GitHubPages.warn("the include #{file} is not in the site, whose theme is not installed: it is left out")
      ""
    end
  end

  # A style sheet of a theme that is not installed is not imported.
  module WithoutMissingSheets
    def sass_convert(content)
      MOST_IMPORTS.times do
        return super(content)
      rescue Jekyll::Converters::Scss::SyntaxError => e
        content = without_import(content, e) or raise
      end
      super(content)
    end

    private

    def without_import(content, error)
      name = error.message[UNREADABLE_IMPORT, 1] if GitHubPages.without_theme?
      line = content.lines.find { |one| name && one.match?(/^\s*@import\b/) && one.include?(name) }
      return nil if line.nil?

      GitHubPages.warn("the style sheet #{name} is not in the site, whose theme is not installed: it is left out")
      content.sub(line, "\n")
    end
  end

  Jekyll::External.singleton_class.prepend(WithoutMissingPlugins)
  Jekyll::Site.prepend(WithoutMissingTheme)
  [Jekyll::Tags::IncludeTag, Jekyll::Tags::OptimizedIncludeTag].each { |tag| tag.prepend(WithoutMissingIncludes) }
  Jekyll::Converters::Scss.prepend(WithoutMissingSheets)
end
