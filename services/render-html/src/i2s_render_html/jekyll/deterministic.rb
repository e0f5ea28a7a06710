# frozen_string_literal: true

# Takes out of Ruby what makes two builds of one site differ: the clock, chance, and the order in
# which a file system lists its entries. Loaded before Jekyll, here and by tests in a plain `jekyll build`.

EPOCH = Time.at(Integer(ENV.fetch("SOURCE_DATE_EPOCH"))).freeze

Time.singleton_class.prepend(
  Module.new do
    def now(*, **)
      EPOCH.dup
    end
  end
)

Dir.singleton_class.prepend(
  Module.new do
    def entries(*, **)
      super.sort
    end
  end
)

srand(0)
